#include "backends/cpu/kernels/bind.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/layer_norm.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

// Two passes, mean first: the one-pass formula loses what is left of a large mean.
HWY_INLINE void LayerNormRow(const float* x, const float* weight, const float* bias, float epsilon,
                             float* out, size_t n) {
  const DF d;
  const float mean = Sum(x, n, [](VF v) HWY_ATTR { return v; }) / static_cast<float>(n);
  const VF center = hn::Set(d, mean);
  const auto squared_offset = [center](VF v) HWY_ATTR {
    const VF off = hn::Sub(v, center);
    return hn::Mul(off, off);
  };
  const float squares = Sum(x, n, squared_offset, mean);
  const VF scale = hn::Set(d, 1.0f / std::sqrt(squares / static_cast<float>(n) + epsilon));
  Map(x, out, n, [=](VF v) HWY_ATTR { return hn::Mul(hn::Sub(v, center), scale); });
  if (weight != nullptr) Map2(out, weight, out, n, [](VF v, VF w) HWY_ATTR { return hn::Mul(v, w); });
  if (bias != nullptr) Map2(out, bias, out, n, [](VF v, VF b) HWY_ATTR { return hn::Add(v, b); });
}

void LayerNormRows(const Tensor& x, const float* weight, const float* bias, float epsilon, const Tensor& out,
                   Team& team) {
  team.share(x.vectors(team), [&](size_t i) HWY_ATTR {
    LayerNormRow(x.vector(i), weight, bias, epsilon, out.vector(i), x.last);
  });
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(LayerNormRows);

BoundKernel bind_kernel(const LayerNorm& op, const Binder& binder) {
  return [run = for_target(HWY_DISPATCH_TABLE(LayerNormRows), binder.target()), x = binder.tensor(op.x),
          weight = binder.vector(op.weight), bias = binder.vector(op.bias), epsilon = op.epsilon,
          out = binder.tensor(op.out)](Team& team) {
    run(x, weight, bias, epsilon, out, team);
    const size_t rows = team.count(x.rows);
    const size_t vectors = (weight != nullptr) + (bias != nullptr);
    return x.bytes(rows) + out.bytes(rows) + vectors * x.last * sizeof(float);
  };
}

}  // namespace linnet::cpu
#endif
