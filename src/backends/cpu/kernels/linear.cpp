#include "backends/cpu/kernels/bind.h"
#include "backends/cpu/kernels/tiles.h"

namespace linnet::cpu {

BoundKernel bind_kernel(const Linear& op, const Binder& binder) {
  const CpuWeight& weight = binder.weight(op.weight);
  return [product = product_kernel(binder.target(), weight), &weight, x = binder.tensor(op.x),
          bias = binder.vector(op.bias), out = binder.tensor(op.out)](Team& team) {
    // [rows, heads, k] is rows · heads rows of k; only a plain x is a view with gaps, and it has rank 2.
    const size_t inner = x.columns / x.last;
    const size_t rows = team.count(x.rows) * inner;
    const PreparedRows prepared{x.data, x.row_bytes / inner};
    const size_t out_stride = out.row_bytes / inner / sizeof(float);
    product_tiles(
        team, product, weight, prepared, rows,
        [&](size_t row, size_t count, size_t first, size_t columns, const float* tile, size_t stride) {
          for (size_t r = 0; r < count; ++r) {
            float* to = out.floats() + (row + r) * out_stride + first;
            for (size_t c = 0; c < columns; ++c) {
              to[c] = tile[r * stride + c] + (bias != nullptr ? bias[first + c] : 0.0f);
            }
          }
        });
    return weight.bytes() + x.bytes(team.count(x.rows)) + out.bytes(team.count(x.rows));
  };
}

}  // namespace linnet::cpu
