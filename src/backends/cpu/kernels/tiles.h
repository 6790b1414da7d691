// Runs a product tile by tile over a team: tiles of columns are claimed, each walks the rows and hands what
// it computed to an epilogue while it is still in the first-level cache.
#pragma once

#include <algorithm>

#include "backends/cpu/kernels/product.h"

namespace linnet::cpu {

// epilogue(first_row, rows, first_column, columns, tile, stride): tile[r · stride + c] is the product.
template <class Epilogue>
void product_tiles(Team& team, ProductKernel* product, const CpuWeight& weight, const PreparedRows& x,
                   size_t rows, Epilogue&& epilogue) {
  const size_t columns = weight.rows();
  const size_t width = tile_columns(columns, team.size());
  team.share(divide_up(columns, width), [&](size_t tile) {
    alignas(64) TileBuffer buffer;
    const size_t first = tile * width;
    const size_t count = std::min(width, columns - first);
    for (size_t row = 0; row < rows; row += kTileRows) {
      const size_t tile_rows = std::min(kTileRows, rows - row);
      product(weight, x.from(row), tile_rows, first, count, buffer, width);
      epilogue(row, tile_rows, first, count, buffer, width);
    }
  });
}

}  // namespace linnet::cpu
