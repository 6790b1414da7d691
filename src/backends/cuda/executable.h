// A program compiled for the GPU, and bound to memory: a list of kernels, replayed as one launch where the
// program has no extents, or a few of an extent that may be rounded up and one of each other.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "backends/cuda/bind.h"
#include "backends/cuda/device.h"
#include "backends/cuda/walk.h"

namespace linnet::cuda {

class CudaExecutable : public Executable {
 public:
  CudaExecutable(std::shared_ptr<Shared> shared, const CompileOptions& options, Program program, Plan plan);

  [[nodiscard]] std::unique_ptr<Launch> bind(std::span<const Binding> bindings, Buffer& scratch) override;
  [[nodiscard]] const Program& program() const noexcept override { return program_; }
  [[nodiscard]] const Plan& plan() const noexcept override { return plan_; }

 private:
  std::shared_ptr<Shared> shared_;
  CompileOptions options_;
  Program program_;
  Plan plan_;
};

class CudaLaunch : public Launch {
 public:
  CudaLaunch(std::shared_ptr<Shared> shared, const CompileOptions& options, const Program& program,
             const Plan& plan, std::vector<Buffer*> buffers, std::byte* arena);
  ~CudaLaunch() override;

  void run(std::span<const uint32_t> extents) noexcept override;
  void read_value(Value value, std::span<float> into, Completion done) override;

 private:
  struct BoundStep {
    const Op* op;
    Enqueue enqueue;
    uint32_t line;
  };

  struct DestroyGraph {
    void operator()(cudaGraphExec_t graph) const noexcept { static_cast<void>(cudaGraphExecDestroy(graph)); }
  };
  // The steps with these counts.
  struct Captured {
    std::vector<uint32_t> extents;
    std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyGraph> graph;
  };

  void bind_steps();
  void enqueue_steps(std::span<const uint32_t> extents);
  void capture_all();
  void capture(std::vector<uint32_t> extents);
  [[nodiscard]] cudaGraphExec_t captured(std::span<const uint32_t> extents) const noexcept;
  void load_kernels();
  [[nodiscard]] bool extents_fit(std::span<const uint32_t> extents) const noexcept;

  std::shared_ptr<Shared> shared_;
  const Program& program_;
  const Plan& plan_;
  std::vector<Buffer*> buffers_;  // by value id
  std::byte* arena_;
  CompileOptions options_;
  std::vector<DeviceMemory> memory_;
  std::vector<BoundStep> steps_;
  std::vector<Captured> captured_;  // by ascending counts
  bool walks_ = false;
};

}  // namespace linnet::cuda
