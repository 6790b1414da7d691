#include "backends/cpu/kernels/bind.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/activation.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

void ActivationRows(const Tensor& x, ActivationKind kind, const Tensor& out, Team& team) {
  team.share(team.count(x.rows), [&](size_t row) HWY_ATTR {
    Map(x.floats(row), out.floats(row), x.columns, [kind](VF v) HWY_ATTR { return Activate(kind, v); });
  });
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(ActivationRows);

BoundKernel bind_kernel(const Activation& op, const Binder& binder) {
  return [run = for_target(HWY_DISPATCH_TABLE(ActivationRows), binder.target()), x = binder.tensor(op.x),
          kind = op.kind, out = binder.tensor(op.out)](Team& team) {
    run(x, kind, out, team);
    return 2 * x.bytes(team.count(x.rows));
  };
}

}  // namespace linnet::cpu
#endif
