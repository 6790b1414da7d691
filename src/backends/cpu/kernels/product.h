// The products behind every linear op: rows of activations times rows of a weight, for each layout and
// format. An output element is summed in an order that depends on its length and format only, never on the
// tile it is computed in: a row alone, in a batch, on any number of threads gives the same bits.
#pragma once

#include <cstddef>

#include "backends/cpu/team.h"
#include "backends/cpu/weight.h"

namespace linnet::cpu {

// Activations made ready for a product: rows of float, or of q8_a for panels.
struct PreparedRows {
  const std::byte* data = nullptr;
  size_t row_bytes = 0;

  [[nodiscard]] PreparedRows from(size_t row) const noexcept { return {data + row * row_bytes, row_bytes}; }
};

// out[r · out_stride + i] = Σ_k x[r, k] · weight[first + i, k] for r < rows, i < count. For panels `first` is
// a multiple of kPanelRows and `out` has room for whole panels.
using ProductKernel = void(const CpuWeight& weight, const PreparedRows& x, size_t rows, size_t first,
                           size_t count, float* out, size_t out_stride);

[[nodiscard]] ProductKernel* product_kernel(int64_t target, const CpuWeight& weight);

// Bytes of one prepared row of k elements for a weight of that format.
[[nodiscard]] constexpr size_t prepared_row_bytes(Format input, size_t k) noexcept {
  return input == Format::q8_a ? k / 32 * 40 : k * sizeof(float);
}

// Outputs are computed in tiles of this many rows, which fit in a buffer on the stack.
// 24 is a multiple of the register tiles' rows (6 and 4).
inline constexpr size_t kTileRows = 24;
// Columns of a tile at most: eight panels in flight saturate the memory of a core (measured: one stream 22,
// eight 29.5 of 30 GB/s on two Ice Lake cores).
inline constexpr size_t kTileColumns = 128;

using TileBuffer = float[kTileRows * kTileColumns];

// Columns per tile so that every thread of the team finds at least four tiles, in whole panels.
[[nodiscard]] constexpr size_t tile_columns(size_t columns, size_t threads) noexcept {
  size_t tile = kTileColumns;
  while (tile > kPanelRows && columns < 4 * threads * tile) tile /= 2;
  return tile;
}

}  // namespace linnet::cpu
