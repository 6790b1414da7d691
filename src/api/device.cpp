#include "linnet/device.hpp"

#include "api/boundary.h"
#include "api/receipt.h"
#include "backends/compiled_in.h"

namespace linnet::v0 {
namespace {

// More threads than this are a mistake, and each would take a stack before the system refuses one.
constexpr unsigned kMostThreads = 1024;

linnet::DeviceOptions internal_options(const DeviceOptions& options) {
  if (options.threads > kMostThreads) {
    fail(linnet::ErrorKind::usage, "threads: expected at most ", kMostThreads, ", got ", options.threads);
  }
  return {.threads = options.threads,
          .instruction_set = options.instruction_set,
          .launching = launching_named(options.launching)};
}

DeviceInfo public_info(const linnet::DeviceInfo& info) {
  return {.backend = info.backend,
          .name = info.name,
          .detail = info.detail,
          .total_memory = info.total_memory,
          .free_memory = info.free_memory};
}

}  // namespace

DeviceInfo Device::info() const {
  return at_boundary([&] { return public_info(Internals::device(*this).info()); });
}

const std::string& Device::note() const {
  return at_boundary([&]() -> const std::string& { return Internals::shared(*this)->note; });
}

Receipt Device::receipt() const {
  return at_boundary([&] { return public_receipt(Internals::device(*this).receipt()); });
}

Device open_device(std::string_view name, const DeviceOptions& options) {
  return at_boundary([&] {
    linnet::OpenedDevice opened =
        linnet::open_device(compiled_in_backends(), name, internal_options(options));
    return Internals::handle(
        std::make_shared<Device::Impl>(Device::Impl{std::move(opened.device), std::move(opened.note)}));
  });
}

std::vector<BackendStatus> backends() {
  return at_boundary([] {
    std::vector<BackendStatus> all;
    bool found = false;
    for (const Backend& backend : compiled_in_backends()) {
      BackendStatus status{.name = backend.name,
                           .description = backend.description,
                           .compiled_in = backend.compiled_in,
                           .unavailable = backend.unavailable(),
                           .device = {},
                           .recommended = false};
      if (status.unavailable.empty()) {
        try {
          status.device = public_info(backend.open({})->info());
          status.recommended = backend.automatic && !found;
          found = found || status.recommended;
        } catch (const linnet::Error& error) {  // said it could be opened, and cannot
          status.unavailable = error.what();
        }
      }
      all.push_back(std::move(status));
    }
    return all;
  });
}

}  // namespace linnet::v0
