// Operands as kernels see them: plain data that is copied into a launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/format.h"

namespace linnet::cuda {

// Rows of numbers in the GPU's memory. Row r begins r · stride elements after data.
struct Tensor {
  std::byte* data = nullptr;
  Format format = Format::f32;
  uint32_t columns = 0;  // of a row
  uint32_t width = 0;    // the last dimension: a row of [rows, heads, width] is columns / width vectors
  uint64_t stride = 0;
};

// A weight as it lies here: row after row; Q8_0 with all codes first and the binary16 scales behind them, so
// that both are read in aligned pieces. The bytes are those of the file.
struct Matrix {
  const std::byte* data = nullptr;
  const std::byte* scales = nullptr;  // Q8_0 only
  Format format = Format::f32;
  uint32_t rows = 0;
  uint32_t columns = 0;
};

// How rows belong to sequences and where their keys and values lie (program/ops/paging.h).
struct Pages {
  const int32_t* positions = nullptr;
  const int32_t* row_starts = nullptr;
  const int32_t* sequence_slots = nullptr;
  const int32_t* page_table = nullptr;
  uint32_t rows = 0;
  uint32_t sequences = 0;
  uint32_t slots = 0;
  uint32_t pages_a_slot = 0;
  uint32_t pages = 0;
  uint32_t kv_heads = 0;
  uint32_t width = 0;
};

}  // namespace linnet::cuda
