#include "backends/cpu/kernels/bind.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/add.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

void AddRows(const Tensor& a, const Tensor& b, const Tensor& out, Team& team) {
  team.share(team.count(a.rows), [&](size_t row) HWY_ATTR {
    Map2(a.floats(row), b.floats(row), out.floats(row), a.columns,
         [](VF x, VF y) HWY_ATTR { return hn::Add(x, y); });
  });
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(AddRows);

BoundKernel bind_kernel(const Add& op, const Binder& binder) {
  return [run = for_target(HWY_DISPATCH_TABLE(AddRows), binder.target()), a = binder.tensor(op.a),
          b = binder.tensor(op.b), out = binder.tensor(op.out)](Team& team) {
    run(a, b, out, team);
    return 3 * a.bytes(team.count(a.rows));
  };
}

}  // namespace linnet::cpu
#endif
