#include "device/device.h"

namespace linnet {
namespace {

// Pumps the device until `enqueue`d work has called its completion.
template <class Enqueue>
void pump(Device& device, Enqueue&& enqueue) {
  bool arrived = false;
  std::optional<Error> failure;
  enqueue([&](const Error* error) {
    arrived = true;
    if (error != nullptr) failure = *error;
  });
  while (!arrived) {
    device.wait(std::chrono::milliseconds(100));
    device.poll();
  }
  if (failure) throw *failure;
}

}  // namespace

void read_now(Device& device, const Buffer& buffer, size_t offset, std::span<std::byte> into) {
  pump(device, [&](Completion done) { device.read(buffer, offset, into, std::move(done)); });
}

void read_value_now(Device& device, Launch& launch, Value value, std::span<float> into) {
  pump(device, [&](Completion done) { launch.read_value(value, into, std::move(done)); });
}

}  // namespace linnet
