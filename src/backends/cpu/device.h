// The CPU as a device: threads of this process, memory of the host.
#pragma once

#include "backends/cpu/executable.h"
#include "backends/cpu/instruction_sets.h"
#include "device/registry.h"

namespace linnet::cpu {

class CpuDevice : public Device {
 public:
  explicit CpuDevice(const DeviceOptions& options);

  [[nodiscard]] DeviceInfo info() const override;
  [[nodiscard]] Lowered lower(const Op& op, const CompileOptions& options, Recorder& into) const override;
  [[nodiscard]] size_t workspace(const Program& program, const Op& op) const override;
  [[nodiscard]] Footprint footprint(const Program& program, const CompileOptions& options) const override;
  [[nodiscard]] std::unique_ptr<Buffer> load(const WeightSpec& spec, const ByteSource& source) override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate(const ValueInfo& value) override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate_scratch(size_t bytes) override;
  void write(Buffer& buffer, size_t offset, std::span<const std::byte> bytes) override;
  void read(const Buffer& buffer, size_t offset, std::span<std::byte> into, Completion done) override;
  void poll() override { queue_.poll(); }
  bool wait(std::chrono::nanoseconds) override { return queue_.pending(); }
  [[nodiscard]] std::unique_ptr<Executable> compile(const Program& program,
                                                    const CompileOptions& options) override;
  [[nodiscard]] Receipt receipt() const override { return receipt_; }

 private:
  [[nodiscard]] Program lowered(const Program& program, const CompileOptions& options) const;
  [[nodiscard]] Plan planned(const Program& program, const CompileOptions& options) const;

  InstructionSet instruction_set_;
  ThreadPool pool_;
  HostQueue queue_;
  FailureSlot failure_;
  Receipt receipt_;
};

}  // namespace linnet::cpu
