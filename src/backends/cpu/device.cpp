#include "backends/cpu/device.h"

#include "backends/cpu/kernels/bind.h"
#include "backends/cpu/lower.h"
#include "device/host_info.h"

namespace linnet::cpu {

CpuDevice::CpuDevice(const DeviceOptions& options)
    : instruction_set_(instruction_set_named(options.instruction_set)),
      pool_(options.threads == 0 ? default_threads() : options.threads) {
  receipt_.backend = "cpu";
  receipt_.device = host_info().processor;
}

DeviceInfo CpuDevice::info() const {
  const HostInfo host = host_info();
  return {
      .backend = "cpu",
      .name = host.processor,
      .detail = concat(pool_.size(), pool_.size() == 1 ? " thread, " : " threads, ", instruction_set_.name),
      .total_memory = host.total_memory,
      .free_memory = host.available_memory,
      .compute = Format::f32,
      .kv = Format::f32};
}

Lowered CpuDevice::lower(const Op& op, const CompileOptions& options, Recorder& into) const {
  return lower_for_cpu(op, options, into);
}

size_t CpuDevice::workspace(const Program& program, const Op& op) const {
  return std::visit([&](const auto& each) { return workspace_of(each, program); }, op);
}

Program CpuDevice::lowered(const Program& program, const CompileOptions& options) const {
  return linnet::lower(program, options,
                       [&](const Op& op, Recorder& into) { return lower(op, options, into); });
}

Plan CpuDevice::planned(const Program& program, const CompileOptions& options) const {
  return make_plan(program, [&](const Op& op) { return workspace(program, op); },
                   {.reuse_scratch = options.reuse_scratch});
}

Footprint CpuDevice::footprint(const Program& program, const CompileOptions& options) const {
  const Program program_here = lowered(program, options);
  Footprint footprint{.scratch = planned(program_here, options).scratch_bytes};
  for (uint32_t id = 0; id < program_here.values.size(); ++id) {
    const ValueInfo& value = program_here.values[id];
    if (value.view.base || value.storage == Storage::scratch) continue;
    // Panels pad the rows of a matrix to whole panels: less than one part in a thousand, left out here.
    (value.storage == Storage::weight ? footprint.weights : footprint.state) += program_here.bytes({id});
  }
  return footprint;
}

std::unique_ptr<Buffer> CpuDevice::load(const WeightSpec& spec, const ByteSource& source) {
  return load_weight(spec, source, instruction_set_.vnni);
}

std::unique_ptr<Buffer> CpuDevice::allocate(const ValueInfo& value) {
  return std::make_unique<HostBuffer>(bytes_of(value.format, value.shape.elements()));
}

std::unique_ptr<Buffer> CpuDevice::allocate_scratch(size_t bytes) {
  return std::make_unique<HostBuffer>(bytes);
}

void CpuDevice::write(Buffer& buffer, size_t offset, std::span<const std::byte> bytes) {
  dynamic_cast<HostBuffer&>(buffer).write(offset, bytes);
}

void CpuDevice::read(const Buffer& buffer, size_t offset, std::span<std::byte> into, Completion done) {
  dynamic_cast<const HostBuffer&>(buffer).read(offset, into);
  queue_.completed(std::move(done));
}

std::unique_ptr<Executable> CpuDevice::compile(const Program& program, const CompileOptions& options) {
  Program program_here = lowered(program, options);
  Plan plan = planned(program_here, options);
  return std::make_unique<CpuExecutable>(CpuContext{.pool = pool_,
                                                    .queue = queue_,
                                                    .failure = failure_,
                                                    .receipt = receipt_,
                                                    .target = instruction_set_.target},
                                         std::move(program_here), std::move(plan));
}

}  // namespace linnet::cpu
