// An NVIDIA GPU: weights resident, programs without extents replayed as one launch, everything on one stream.
#pragma once

#include <memory>
#include <vector>

#include "backends/cuda/cublas_lt.h"
#include "backends/cuda/hardware.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/queue.h"
#include "device/registry.h"

namespace linnet::cuda {

// What the executables of one device share with it.
struct Shared {
  Queue queue;
  DeviceMemory counters;  // LineCounters[kMaxLines]
  std::vector<std::string> lines;
  uint64_t runs = 0;
  uint64_t walked = 0;
  Hardware hardware;
  bool capture = true;
  bool overlap = false;
  size_t walk_from = ~size_t{0};     // bytes of weights: decode is one persistent kernel if it takes them
  std::unique_ptr<CublasLt> cublas;  // null where it is not installed

  [[nodiscard]] uint32_t line_of(std::string_view op);
  [[nodiscard]] LineCounters* line_counters() const noexcept {
    return reinterpret_cast<LineCounters*>(counters.get());
  }
};

class CudaDevice : public Device {
 public:
  explicit CudaDevice(const DeviceOptions& options);
  ~CudaDevice() override;

  [[nodiscard]] DeviceInfo info() const override;
  [[nodiscard]] Lowered lower(const Op& op, const CompileOptions& options, Recorder& into) const override;
  [[nodiscard]] size_t workspace(const Program& program, const Op& op) const override;
  [[nodiscard]] Footprint footprint(const Program& program, const CompileOptions& options) const override;
  [[nodiscard]] std::unique_ptr<Buffer> load(const WeightSpec& spec, const ByteSource& source) override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate(const ValueInfo& value) override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate_scratch(size_t bytes) override;
  void write(Buffer& buffer, size_t offset, std::span<const std::byte> bytes) override;
  void read(const Buffer& buffer, size_t offset, std::span<std::byte> into, Completion done) override;
  void read_beside(const Buffer& buffer, size_t offset, std::span<std::byte> into, Completion done) override;
  void poll() override { shared_->queue.poll(); }
  bool wait(std::chrono::nanoseconds timeout) override { return shared_->queue.wait(timeout); }
  [[nodiscard]] std::unique_ptr<Executable> compile(const Program& program,
                                                    const CompileOptions& options) override;
  [[nodiscard]] Receipt receipt() const override;
  [[nodiscard]] std::vector<ReadSpeed> measure_reading() override;

 private:
  [[nodiscard]] std::vector<uint32_t> shorter_prompts() const;
  [[nodiscard]] Program lowered(const Program& program, const CompileOptions& options) const;
  [[nodiscard]] Plan planned(const Program& program, const CompileOptions& options) const;

  std::string name_;
  size_t total_memory_ = 0;
  int capability_ = 0;  // ten times
  std::shared_ptr<Shared> shared_;
};

}  // namespace linnet::cuda
