#include "backends/cpu/kernels/bind.h"
#include "backends/cpu/kernels/product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/norm_gated_linear.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/norm_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

// A tile takes the same columns from both halves of the weight, so that gates and values meet in the cache.
void NormGatedTiles(const NormProduct& args, ActivationKind kind, const Tensor& out, Team& team) {
  const size_t rows = team.count(args.x.rows);
  PrepareNormed(args, team, rows);
  const size_t columns = out.columns;
  const size_t width = tile_columns(columns, team.size());
  team.share(divide_up(columns, width), [&](size_t tile) HWY_ATTR {
    alignas(64) TileBuffer gates;
    alignas(64) TileBuffer values;
    const size_t first = tile * width;
    const size_t count = HWY_MIN(width, columns - first);
    for (size_t row = 0; row < rows; row += kTileRows) {
      const size_t tile_rows = HWY_MIN(kTileRows, rows - row);
      const PreparedRows x = args.prepared().from(row);
      args.product(*args.weight, x, tile_rows, first, count, gates, width);
      args.product(*args.weight, x, tile_rows, columns + first, count, values, width);
      for (size_t r = 0; r < tile_rows; ++r) {
        float* gate = gates + r * width;
        float* value = values + r * width;
        for (size_t c = 0; args.bias != nullptr && c < count; ++c) {
          gate[c] += args.bias[first + c];
          value[c] += args.bias[columns + first + c];
        }
        Map2(gate, value, out.floats(row + r) + first, count,
             [kind](VF g, VF v) HWY_ATTR { return hn::Mul(Activate(kind, g), v); });
      }
    }
  });
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(NormGatedTiles);

size_t workspace_of(const NormGatedLinear& op, const Program& program) {
  return norm_product_workspace(op, program);
}

BoundKernel bind_kernel(const NormGatedLinear& op, const Binder& binder) {
  return [run = for_target(HWY_DISPATCH_TABLE(NormGatedTiles), binder.target()),
          args = norm_product(op, binder), kind = op.kind, out = binder.tensor(op.out)](Team& team) {
    run(args, kind, out, team);
    const size_t rows = team.count(args.x.rows);
    return args.bytes(rows) + out.bytes(rows);
  };
}

}  // namespace linnet::cpu
#endif
