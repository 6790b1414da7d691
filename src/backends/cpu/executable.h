// A program compiled for the CPU, and bound to memory: threads walk its steps together.
#pragma once

#include <chrono>
#include <vector>

#include "backends/cpu/team.h"
#include "backends/cpu/tensor.h"
#include "device/device.h"
#include "device/host_queue.h"

namespace linnet::cpu {

// What the executables of one device share.
struct CpuContext {
  ThreadPool& pool;
  HostQueue& queue;
  FailureSlot& failure;
  Receipt& receipt;
  int64_t target;
};

class CpuExecutable : public Executable {
 public:
  CpuExecutable(CpuContext context, Program program, Plan plan);

  [[nodiscard]] std::unique_ptr<Launch> bind(std::span<const Binding> bindings, Buffer& scratch) override;
  [[nodiscard]] const Program& program() const noexcept override { return program_; }
  [[nodiscard]] const Plan& plan() const noexcept override { return plan_; }

 private:
  CpuContext context_;
  Program program_;
  Plan plan_;
};

class CpuLaunch : public Launch {
 public:
  CpuLaunch(CpuContext context, const Program& program, const Plan& plan, std::vector<Buffer*> buffers,
            std::byte* arena);

  void run(std::span<const uint32_t> extents) noexcept override;
  void read_value(Value value, std::span<float> into, Completion done) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct BoundStep {
    BoundKernel kernel;
    size_t receipt_line = 0;
    bool barrier_after = true;  // the next step needs something of this one, or of one since the last barrier
    Team::Counters counters{};
  };

  [[nodiscard]] bool extents_fit(std::span<const uint32_t> extents) noexcept;
  void walk(unsigned thread, std::span<const uint32_t> extents) noexcept;
  void find_barriers();
  [[nodiscard]] size_t receipt_line(std::string_view op);

  CpuContext context_;
  const Program& program_;
  const Plan& plan_;
  std::vector<Buffer*> buffers_;  // by value id
  std::byte* arena_;
  std::vector<std::unique_ptr<BoundStep>> steps_;
};

}  // namespace linnet::cpu
