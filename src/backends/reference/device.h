// The float64 reference: obvious, slow, one thread. What it computes is what an op means.
// Fused ops are always expanded; scratch in a number format is kept as float64 and never rounded.
#pragma once

#include "device/device.h"
#include "device/host_queue.h"

namespace linnet::reference {

// What launches share with their device.
struct Shared {
  HostQueue queue;
  Receipt receipt;
};

class ReferenceDevice : public Device {
 public:
  ReferenceDevice();

  [[nodiscard]] DeviceInfo info() const override;
  [[nodiscard]] Lowered lower(const Op& op, const CompileOptions& options, Recorder& into) const override;
  [[nodiscard]] size_t workspace(const Program&, const Op&) const override { return 0; }
  [[nodiscard]] Footprint footprint(const Program& program, const CompileOptions& options) const override;
  [[nodiscard]] std::unique_ptr<Buffer> load(const WeightSpec& spec, const ByteSource& source) override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate(const ValueInfo& value) override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate_scratch(size_t bytes) override;
  void write(Buffer& buffer, size_t offset, std::span<const std::byte> bytes) override;
  void read(const Buffer& buffer, size_t offset, std::span<std::byte> into, Completion done) override;
  void poll() override { shared_->queue.poll(); }
  bool wait(std::chrono::nanoseconds) override { return shared_->queue.pending(); }
  [[nodiscard]] std::unique_ptr<Executable> compile(const Program& program,
                                                    const CompileOptions& options) override;
  [[nodiscard]] Receipt receipt() const override { return shared_->receipt; }

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace linnet::reference
