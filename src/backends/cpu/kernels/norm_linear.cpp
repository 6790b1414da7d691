#include "backends/cpu/kernels/bind.h"
#include "backends/cpu/kernels/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/norm_linear.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/norm_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

void NormLinearTiles(const NormProduct& args, const Tensor& out, Team& team) {
  const size_t rows = team.count(args.x.rows);
  PrepareNormed(args, team, rows);
  product_tiles(team, args.product, *args.weight, args.prepared(), rows,
                [&](size_t row, size_t count, size_t first, size_t columns, const float* tile, size_t stride)
                    HWY_ATTR {
                      for (size_t r = 0; r < count; ++r) {
                        float* to = out.floats(row + r) + first;
                        for (size_t c = 0; c < columns; ++c) {
                          to[c] = tile[r * stride + c] + (args.bias != nullptr ? args.bias[first + c] : 0.0f);
                        }
                      }
                    });
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(NormLinearTiles);

size_t workspace_of(const NormLinear& op, const Program& program) {
  return norm_product_workspace(op, program);
}

BoundKernel bind_kernel(const NormLinear& op, const Binder& binder) {
  return [run = for_target(HWY_DISPATCH_TABLE(NormLinearTiles), binder.target()),
          args = norm_product(op, binder), out = binder.tensor(op.out)](Team& team) {
    run(args, out, team);
    const size_t rows = team.count(args.x.rows);
    return args.bytes(rows) + out.bytes(rows);
  };
}

}  // namespace linnet::cpu
#endif
