#include "backends/cpu/kernels/bind.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/gated_activation.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

void GatedActivationRows(const Tensor& x, ActivationKind kind, const Tensor& out, Team& team) {
  team.share(team.count(x.rows), [&](size_t row) HWY_ATTR {
    const float* gate = x.floats(row);
    Map2(gate, gate + out.columns, out.floats(row), out.columns,
         [kind](VF g, VF v) HWY_ATTR { return hn::Mul(Activate(kind, g), v); });
  });
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(GatedActivationRows);

BoundKernel bind_kernel(const GatedActivation& op, const Binder& binder) {
  return [run = for_target(HWY_DISPATCH_TABLE(GatedActivationRows), binder.target()), x = binder.tensor(op.x),
          kind = op.kind, out = binder.tensor(op.out)](Team& team) {
    run(x, kind, out, team);
    const size_t rows = team.count(x.rows);
    return x.bytes(rows) + out.bytes(rows);
  };
}

}  // namespace linnet::cpu
#endif
