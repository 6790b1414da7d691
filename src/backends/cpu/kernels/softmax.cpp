#include "backends/cpu/kernels/bind.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/softmax.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

// exp(x − max) lies in [0, 1]; −infinity (masked) and anything below −87 of the largest is 0 by the clamp's
// own rounding.
HWY_INLINE void SoftmaxRow(const float* x, float* out, size_t n) {
  const DF d;
  const VF largest = hn::Set(d, Largest(x, n));
  Map(x, out, n, [=](VF v) HWY_ATTR {
    const VF off = hn::Sub(v, largest);
    const VF lowest = hn::Set(d, -87.0f);
    return hn::IfThenElseZero(hn::Ge(off, lowest), hn::Exp(d, hn::Max(off, lowest)));
  });
  const VF inverse = hn::Set(d, 1.0f / Sum(out, n, [](VF v) HWY_ATTR { return v; }));
  Map(out, out, n, [=](VF v) HWY_ATTR { return hn::Mul(v, inverse); });
}

void SoftmaxRows(const Tensor& x, const Tensor& out, Team& team) {
  team.share(x.vectors(team), [&](size_t i) HWY_ATTR { SoftmaxRow(x.vector(i), out.vector(i), x.last); });
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(SoftmaxRows);

BoundKernel bind_kernel(const Softmax& op, const Binder& binder) {
  return [run = for_target(HWY_DISPATCH_TABLE(SoftmaxRows), binder.target()), x = binder.tensor(op.x),
          out = binder.tensor(op.out)](Team& team) {
    run(x, out, team);
    const size_t rows = team.count(x.rows);
    return x.bytes(rows) + out.bytes(rows);
  };
}

}  // namespace linnet::cpu
#endif
