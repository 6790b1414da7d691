#include "backends/reference/device.h"

#include "backends/reference/executable.h"
#include "backends/reference/weight.h"
#include "device/host_buffer.h"
#include "device/host_info.h"

namespace linnet::reference {

ReferenceDevice::ReferenceDevice() : shared_(std::make_shared<Shared>()) {
  shared_->receipt.backend = "reference";
  shared_->receipt.device = "float64 reference on " + host_info().processor;
}

DeviceInfo ReferenceDevice::info() const {
  HostInfo host = host_info();
  return {.backend = "reference",
          .name = std::move(host.processor),
          .detail = "float64, 1 thread",
          .total_memory = host.total_memory,
          .free_memory = host.available_memory,
          .compute = Format::f32,
          .kv = Format::f32};
}

Lowered ReferenceDevice::lower(const Op& op, const CompileOptions&, Recorder&) const {
  return lower_op(op);
}

Footprint ReferenceDevice::footprint(const Program& program, const CompileOptions& options) const {
  const ReferenceExecutable executable(program, options, shared_);
  Footprint footprint{.scratch = executable.plan().scratch_bytes};
  const Program& lowered = executable.program();
  for (uint32_t id = 0; id < lowered.values.size(); ++id) {
    switch (lowered.values[id].storage) {
      case Storage::weight:
        footprint.weights += lowered.bytes({id});
        break;
      case Storage::state:
      case Storage::input:
      case Storage::output:
        footprint.state += lowered.bytes({id});
        break;
      case Storage::scratch:
        break;
    }
  }
  return footprint;
}

std::unique_ptr<Buffer> ReferenceDevice::load(const WeightSpec& spec, const ByteSource& source) {
  return std::make_unique<Weight>(spec, source);
}

std::unique_ptr<Buffer> ReferenceDevice::allocate(const ValueInfo& value) {
  return std::make_unique<HostBuffer>(bytes_of(value.format, value.shape.elements()));
}

std::unique_ptr<Buffer> ReferenceDevice::allocate_scratch(size_t bytes) {
  return std::make_unique<HostBuffer>(bytes);
}

void ReferenceDevice::write(Buffer& buffer, size_t offset, std::span<const std::byte> bytes) {
  auto* host = dynamic_cast<HostBuffer*>(&buffer);
  if (host == nullptr) fail(ErrorKind::failure, "[write] expected a buffer that was allocated, got a weight");
  host->write(offset, bytes);
}

void ReferenceDevice::read(const Buffer& buffer, size_t offset, std::span<std::byte> into, Completion done) {
  const auto* host = dynamic_cast<const HostBuffer*>(&buffer);
  if (host == nullptr) fail(ErrorKind::failure, "[read] expected a buffer that was allocated, got a weight");
  host->read(offset, into);
  shared_->queue.completed(std::move(done));
}

std::unique_ptr<Executable> ReferenceDevice::compile(const Program& program, const CompileOptions& options) {
  return std::make_unique<ReferenceExecutable>(program, options, shared_);
}

}  // namespace linnet::reference
