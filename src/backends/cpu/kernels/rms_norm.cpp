#include "backends/cpu/kernels/bind.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/rms_norm.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

void RmsNormRows(const Tensor& x, const float* weight, float epsilon, const Tensor& out, Team& team) {
  team.share(x.vectors(team),
             [&](size_t i) HWY_ATTR { RmsNormRow(x.vector(i), weight, epsilon, out.vector(i), x.last); });
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(RmsNormRows);

BoundKernel bind_kernel(const RmsNorm& op, const Binder& binder) {
  return [run = for_target(HWY_DISPATCH_TABLE(RmsNormRows), binder.target()), x = binder.tensor(op.x),
          weight = binder.vector(op.weight), epsilon = op.epsilon, out = binder.tensor(op.out)](Team& team) {
    run(x, weight, epsilon, out, team);
    const size_t rows = team.count(x.rows);
    return x.bytes(rows) + out.bytes(rows) + x.last * sizeof(float);
  };
}

}  // namespace linnet::cpu
#endif
