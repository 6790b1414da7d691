// Work on one row of floats that several kernels share: norms, quantization, activations, element-wise loops.
// Compiled once per instruction set, from inside each kernel file.
#if defined(LINNET_CPU_KERNELS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINNET_CPU_KERNELS_ROWS_INL_H_
#undef LINNET_CPU_KERNELS_ROWS_INL_H_
#else
#define LINNET_CPU_KERNELS_ROWS_INL_H_
#endif

#include <hwy/highway.h>
//
#include <hwy/contrib/math/math-inl.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "backends/cpu/kernels/dispatch.h"
#include "format/q8_a.h"
#include "program/ops/activation.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
inline constexpr size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);

// The last n < lanes elements, with `fill` behind them.
HWY_INLINE VF LoadPadded(const float* p, size_t n, float fill) {
  HWY_ALIGN float padded[kMaxLanes];
  for (float& each : padded) each = fill;
  std::memcpy(padded, p, n * sizeof(float));
  return hn::LoadU(DF(), padded);
}

HWY_INLINE void StorePartial(VF v, float* p, size_t n) {
  HWY_ALIGN float all[kMaxLanes];
  hn::StoreU(v, DF(), all);
  std::memcpy(p, all, n * sizeof(float));
}

// out[i] = f(x[i]); out may be x.
template <class F>
HWY_INLINE void Map(const float* x, float* out, size_t n, F&& f) {
  const DF d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) hn::StoreU(f(hn::LoadU(d, x + i)), d, out + i);
  if (i < n) StorePartial(f(LoadPadded(x + i, n - i, 0)), out + i, n - i);
}

// out[i] = f(a[i], b[i]).
template <class F>
HWY_INLINE void Map2(const float* a, const float* b, float* out, size_t n, F&& f) {
  const DF d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    hn::StoreU(f(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  }
  if (i < n) StorePartial(f(LoadPadded(a + i, n - i, 0), LoadPadded(b + i, n - i, 0)), out + i, n - i);
}

// Σ f(x[i]), where f(fill) must be 0. Four chains hide the latency of the addition.
template <class F>
HWY_INLINE float Sum(const float* x, size_t n, F&& f, float fill = 0) {
  const DF d;
  const size_t lanes = hn::Lanes(d);
  VF sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    for (size_t j = 0; j < 4; ++j) sum[j] = hn::Add(sum[j], f(hn::LoadU(d, x + i + j * lanes)));
  }
  for (; i + lanes <= n; i += lanes) sum[0] = hn::Add(sum[0], f(hn::LoadU(d, x + i)));
  if (i < n) sum[0] = hn::Add(sum[0], f(LoadPadded(x + i, n - i, fill)));
  const VF total = hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
  return hn::GetLane(hn::SumOfLanes(d, total));
}

HWY_INLINE float Largest(const float* x, size_t n) {
  const DF d;
  VF largest = hn::Set(d, -std::numeric_limits<float>::infinity());
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) largest = hn::Max(largest, hn::LoadU(d, x + i));
  if (i < n) largest = hn::Max(largest, LoadPadded(x + i, n - i, -std::numeric_limits<float>::infinity()));
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

HWY_INLINE void RmsNormRow(const float* x, const float* weight, float epsilon, float* out, size_t n) {
  const float squares = Sum(x, n, [](VF v) HWY_ATTR { return hn::Mul(v, v); });
  const VF scale = hn::Set(DF(), 1.0f / std::sqrt(squares / static_cast<float>(n) + epsilon));
  Map2(x, weight, out, n, [scale](VF v, VF w) HWY_ATTR { return hn::Mul(hn::Mul(v, scale), w); });
}

// Bit for bit what format/q8_a.h says. n is a multiple of 32.
HWY_INLINE void QuantizeRow(const float* x, Q8ABlock* out, size_t n) {
  const DF d;
  const hn::RebindToSigned<DF> d32;
  const hn::Rebind<int16_t, DF> d16;
  const hn::Rebind<int8_t, DF> d8;
  const size_t lanes = hn::Lanes(d);
  for (size_t begin = 0; begin < n; begin += Q8ABlock::kElements, ++out) {
    VF largest = hn::Zero(d);
    VF finite = hn::Zero(d);  // x − x: NaN where x is not finite
    for (size_t i = 0; i < Q8ABlock::kElements; i += lanes) {
      const VF v = hn::LoadU(d, x + begin + i);
      largest = hn::Max(largest, hn::Abs(v));
      finite = hn::Add(finite, hn::Sub(v, v));
    }
    const float max = hn::GetLane(hn::MaxOfLanes(d, largest));
    *out = Q8ABlock{};
    if (hn::GetLane(hn::SumOfLanes(d, finite)) != 0.0f) {
      out->scale = std::numeric_limits<float>::quiet_NaN();
      continue;
    }
    if (max < kQ8ASmallest) continue;
    out->scale = max / 127.0f;
    const VF inverse = hn::Set(d, 127.0f / max);
    auto sum = hn::Zero(d32);
    for (size_t i = 0; i < Q8ABlock::kElements; i += lanes) {
      const auto codes = hn::NearestInt(hn::Mul(hn::LoadU(d, x + begin + i), inverse));
      sum = hn::Add(sum, codes);
      hn::StoreU(hn::DemoteTo(d8, hn::DemoteTo(d16, codes)), d8, out->codes + i);
    }
    out->sum = hn::GetLane(hn::SumOfLanes(d32, sum));
  }
}

// 1 / (1 + exp(−x)). The exponential is held inside its range; below −88 the result is 0 to within the
// smallest normal.
HWY_INLINE VF Sigmoid(VF x) {
  const DF d;
  const VF edge = hn::Set(d, 88.0f);
  const VF one = hn::Set(d, 1.0f);
  const VF power = hn::Max(hn::Neg(edge), hn::Min(hn::Neg(x), edge));
  const VF sigmoid = hn::Div(one, hn::Add(one, hn::Exp(d, power)));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Neg(edge)), sigmoid);
}

// Abramowitz and Stegun 7.1.26: |error| ≤ 1.5e-7, the rounding of a float near 1.
HWY_INLINE VF Erf(VF x) {
  const DF d;
  const VF magnitude = hn::Min(hn::Abs(x), hn::Set(d, 6.0f));  // erf(6) is 1 in float
  const VF t = hn::Div(hn::Set(d, 1.0f), hn::MulAdd(hn::Set(d, 0.3275911f), magnitude, hn::Set(d, 1.0f)));
  VF poly = hn::Set(d, 1.061405429f);
  for (const float c : {-1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f}) {
    poly = hn::MulAdd(poly, t, hn::Set(d, c));
  }
  const VF tail = hn::Mul(hn::Mul(poly, t), hn::Exp(d, hn::Neg(hn::Mul(magnitude, magnitude))));
  return hn::CopySign(hn::Sub(hn::Set(d, 1.0f), tail), x);
}

HWY_INLINE VF Activate(ActivationKind kind, VF x) {
  const DF d;
  switch (kind) {
    case ActivationKind::silu:
      return hn::Mul(x, Sigmoid(x));
    case ActivationKind::gelu: {
      const VF half = hn::Mul(x, hn::Set(d, 0.5f));
      return hn::MulAdd(half, Erf(hn::Mul(x, hn::Set(d, 0.70710678118654752f))), half);
    }
    case ActivationKind::gelu_tanh: {
      // (1 + tanh u) / 2 = sigmoid(2u) with u = √(2/π) (x + 0.044715 x³).
      const VF cubic = hn::MulAdd(hn::Mul(hn::Mul(x, x), x), hn::Set(d, 0.044715f), x);
      return hn::Mul(x, Sigmoid(hn::Mul(cubic, hn::Set(d, 1.5957691216057308f))));
    }
  }
  return x;
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LINNET_CPU_KERNELS_ROWS_INL_H_
