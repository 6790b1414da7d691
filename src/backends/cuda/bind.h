// Joins the ops of a lowered program to memory: each becomes a function that enqueues its kernel.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "backends/cuda/cublas_lt.h"
#include "backends/cuda/hardware.h"
#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/weight.h"
#include "device/device.h"

namespace linnet::cuda {

// The counts of one run.
class Counts {
 public:
  explicit Counts(std::span<const uint32_t> extents) : extents_(extents) {}
  [[nodiscard]] uint32_t operator()(Dim dim) const noexcept {
    return dim.fixed() ? dim.max : extents_[static_cast<size_t>(dim.extent)];
  }

 private:
  std::span<const uint32_t> extents_;
};

// False if there was nothing to do for these counts.
using Enqueue = std::function<bool(const Counts& counts, const Common& common)>;

class Binder {
 public:
  Binder(const Program& program, const Plan& plan, std::span<Buffer* const> buffers, std::byte* arena,
         const CompileOptions& options, const Hardware& hardware, CublasLt* cublas, cudaStream_t stream)
      : program_(program),
        plan_(plan),
        buffers_(buffers),
        arena_(arena),
        options_(options),
        hardware_(hardware),
        cublas_(cublas),
        stream_(stream) {}

  void set_step(const Step& step) noexcept { step_ = &step; }
  // The ops before and after the one that is bound; null if there is none.
  [[nodiscard]] const Op* op_before() const noexcept;
  [[nodiscard]] const Op* op_after() const noexcept;
  [[nodiscard]] const Program& program() const noexcept { return program_; }
  [[nodiscard]] const CompileOptions& options() const noexcept { return options_; }
  [[nodiscard]] const Hardware& hardware() const noexcept { return hardware_; }
  [[nodiscard]] uint32_t processors() const noexcept { return hardware_.processors; }
  // Null where it is not installed.
  [[nodiscard]] CublasLt* cublas() const noexcept { return cublas_; }

  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_; }

  // An absent value gives an empty tensor. A weight may be used as one if it is not in blocks.
  [[nodiscard]] Tensor tensor(Value value) const;
  [[nodiscard]] Matrix matrix(Value value) const;
  [[nodiscard]] bool is_weight(Value value) const;
  [[nodiscard]] bool is_scratch(Value value) const;
  template <class T>
  [[nodiscard]] T* data(Value value) const {
    return value ? reinterpret_cast<T*>(tensor(value).data) : nullptr;
  }
  [[nodiscard]] std::byte* workspace() const noexcept { return arena_ + step_->workspace_offset; }
  // What the norm before a stage writes there, where that is a kernel of its own.
  [[nodiscard]] Tensor normed(uint32_t width) const noexcept {
    return {.data = workspace(), .format = Format::bf16, .columns = width, .width = width, .stride = width};
  }
  // Zeroed memory that lives as long as the launch and that kernels leave zeroed; the same for all ops, which
  // run one after another.
  [[nodiscard]] uint32_t* counters(size_t count);
  // Zeroed memory in which one op may leave something for the next, the same for all pairs of a program: as
  // large as the largest that was asked for.
  [[nodiscard]] std::byte* between_ops(size_t bytes);
  [[nodiscard]] std::vector<DeviceMemory> take_memory() { return std::move(memory_); }

 private:
  const Program& program_;
  const Plan& plan_;
  std::span<Buffer* const> buffers_;  // by value id
  std::byte* arena_;
  const CompileOptions& options_;
  Hardware hardware_;
  CublasLt* cublas_;
  cudaStream_t stream_;
  const Step* step_ = nullptr;
  // As large as the largest that was asked for.
  struct Zeroed {
    std::byte* data = nullptr;
    size_t bytes = 0;
  };
  [[nodiscard]] std::byte* largest(Zeroed& zeroed, size_t bytes);

  std::vector<DeviceMemory> memory_;  // of the launch
  Zeroed counters_;
  Zeroed between_ops_;
};

// Whether products of four warps take what x of a stage becomes, which is `input`.
template <class T>
[[nodiscard]] bool warpgroups_take(const T& op, Format input, const Hardware& hardware) {
  return hardware.warpgroups && op.input == Format::compute && input == Format::bf16;
}

// A value of its own, whose rows begin where copies of 16 bytes can.
[[nodiscard]] inline bool rows_are_aligned(Value value, const Program& program) {
  return program.base(value) == value && program.row_stride(value) % 8 == 0;
}
[[nodiscard]] inline bool rows_are_aligned(Value value, Format format, const Program& program) {
  return program.format(value) == format && rows_are_aligned(value, program);
}

// Enqueues a stage whose counts are set.
using LaunchStage = std::function<bool(const StageArgs& stage, const Common& common)>;
// The norm before a stage as a kernel of its own; what follows it in `common` belongs to the same op.
void launch_norm_before(const StageArgs& stage, const Tensor& out, Common& common);

// What a draw reads and advances, and how the rows of an op belong to sequences: everything but the counts of
// the run.
[[nodiscard]] SampleArgs sample_of(const Sample& op, const Binder& binder);
[[nodiscard]] Pages pages_of(const Paging& paging, Value cache, const Binder& binder);
[[nodiscard]] Enqueue bind_op(const Op& op, Binder& binder);
// Bytes that an op reads and writes, as far as shapes and counts tell.
[[nodiscard]] uint64_t bytes_touched(const Op& op, const Program& program, const Counts& counts);

template <class T>
[[nodiscard]] size_t workspace_of(const T&, const Program&, const Hardware&) {
  return 0;
}
[[nodiscard]] size_t workspace_of(const Attention& op, const Program& program, const Hardware& hardware);
[[nodiscard]] size_t workspace_of(const Linear& op, const Program& program, const Hardware& hardware);
[[nodiscard]] size_t workspace_of(const LinearAdd& op, const Program& program, const Hardware& hardware);
[[nodiscard]] size_t workspace_of(const NormGatedLinear& op, const Program& program,
                                  const Hardware& hardware);
[[nodiscard]] size_t workspace_of(const NormQkvRopeStore& op, const Program& program,
                                  const Hardware& hardware);

}  // namespace linnet::cuda
