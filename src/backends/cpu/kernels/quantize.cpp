#include "backends/cpu/kernels/bind.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/quantize.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

void QuantizeRows(const Tensor& x, const Tensor& out, Team& team) {
  team.share(team.count(x.rows),
             [&](size_t row) HWY_ATTR { QuantizeRow(x.floats(row), out.row<Q8ABlock>(row), x.columns); });
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(QuantizeRows);

BoundKernel bind_kernel(const Quantize& op, const Binder& binder) {
  return [run = for_target(HWY_DISPATCH_TABLE(QuantizeRows), binder.target()), x = binder.tensor(op.x),
          out = binder.tensor(op.out)](Team& team) {
    run(x, out, team);
    const size_t rows = team.count(x.rows);
    return x.bytes(rows) + out.bytes(rows);
  };
}

}  // namespace linnet::cpu
#endif
