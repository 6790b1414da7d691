// Matrices in the GPU's memory as tensor copies see them (compute capability 9.0).
#pragma once

#include <cuda.h>

#include <cstdint>

#include "backends/cuda/operands.h"

namespace linnet::cuda {

// How a matrix is cut into boxes. Of 16-bit numbers a row of a box has 128 bytes and is laid out as the
// matrix units want it; of codes of Q8_0 it has 64.
struct Boxes {
  const std::byte* data = nullptr;  // aligned to 16 bytes
  Format format = Format::bf16;     // of 16 bits, or q8_0
  uint64_t rows = 0;
  uint64_t columns = 0;
  uint64_t stride = 0;  // from row to row, in numbers; a multiple of 8
  uint32_t box_rows = 0;
  bool swizzled = true;  // else a row's bytes lie as they do in memory
};

// Throws Error(failure) if the driver does not take it. Rows of a box behind the last are zeros.
[[nodiscard]] CUtensorMap tensor_map_of(const Boxes& boxes);
// Of a weight, and of `rows` rows of activations in 16 bits, of which `columns` are seen.
[[nodiscard]] CUtensorMap tensor_map_of(const Matrix& weight, uint32_t box_rows, bool swizzled = true);
[[nodiscard]] CUtensorMap tensor_map_of(const Tensor& x, uint32_t rows, uint32_t columns, uint32_t box_rows);

}  // namespace linnet::cuda
