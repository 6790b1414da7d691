// Operands as kernels see them, and the binder that resolves an op's values to memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "backends/cpu/team.h"
#include "backends/cpu/weight.h"
#include "device/device.h"

namespace linnet::cpu {

// Rows of numbers in memory. `rows` may be an extent: Team::count() gives the actual number.
struct Tensor {
  std::byte* data = nullptr;
  Format format = Format::f32;
  Dim rows;
  size_t columns = 0;
  size_t row_bytes = 0;  // from one row to the next
  size_t last = 0;       // the last dimension: a row of [rows, heads, width] is `heads` vectors of `width`

  [[nodiscard]] explicit operator bool() const noexcept { return data != nullptr; }
  template <class T>
  [[nodiscard]] T* row(size_t index) const noexcept {
    return reinterpret_cast<T*>(data + index * row_bytes);
  }
  [[nodiscard]] float* floats(size_t row_index = 0) const noexcept { return row<float>(row_index); }
  [[nodiscard]] const int32_t* ints(size_t row_index = 0) const noexcept { return row<int32_t>(row_index); }
  // Vectors of the last dimension: how many, and one of them.
  [[nodiscard]] size_t vectors(const Team& team) const noexcept {
    return team.count(rows) * (columns / last);
  }
  [[nodiscard]] float* vector(size_t index) const noexcept {
    const size_t in_row = columns / last;
    return floats(index / in_row) + index % in_row * last;
  }
  // Bytes of n rows' own columns.
  [[nodiscard]] uint64_t bytes(size_t n) const;
};

// A kernel with its operands: every thread of the team calls it; what it returns is the bytes it moved, all
// threads together (thread 0's answer counts).
using BoundKernel = std::function<uint64_t(Team&)>;

// Resolves the values of one step.
class Binder {
 public:
  Binder(const Program& program, const Plan& plan, std::span<Buffer* const> buffers, std::byte* arena,
         int64_t target)
      : program_(program), plan_(plan), buffers_(buffers), arena_(arena), target_(target) {}

  void set_step(const Step& step) noexcept { step_ = &step; }

  [[nodiscard]] const Program& program() const noexcept { return program_; }
  [[nodiscard]] int64_t target() const noexcept { return target_; }
  // An absent value gives an empty tensor.
  [[nodiscard]] Tensor tensor(Value value) const;
  // The weight's buffer; throws if the value is not one.
  [[nodiscard]] const CpuWeight& weight(Value value) const;
  // A vector weight's floats, or null if absent.
  [[nodiscard]] const float* vector(Value value) const;
  [[nodiscard]] std::byte* workspace() const noexcept { return arena_ + step_->workspace_offset; }

 private:
  const Program& program_;
  const Plan& plan_;
  std::span<Buffer* const> buffers_;  // by value id; null for scratch and views
  std::byte* arena_;
  int64_t target_;
  const Step* step_ = nullptr;
};

}  // namespace linnet::cpu
