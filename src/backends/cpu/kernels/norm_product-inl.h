// Prepares the rows of a NormProduct: norm, and quantization where the product is of integers. Ends with a
// barrier. Compiled once per instruction set, from inside each kernel file.
#if defined(LINNET_CPU_KERNELS_NORM_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINNET_CPU_KERNELS_NORM_PRODUCT_INL_H_
#undef LINNET_CPU_KERNELS_NORM_PRODUCT_INL_H_
#else
#define LINNET_CPU_KERNELS_NORM_PRODUCT_INL_H_
#endif

#include "backends/cpu/kernels/norm_product.h"
#include "backends/cpu/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

// A normed row is quantized in pieces, so that it needs no second row of floats: 32 elements know their own
// scale.
HWY_INLINE void NormQuantizeRow(const NormProduct& args, const float* x, Q8ABlock* out) {
  constexpr size_t kPiece = 256;
  HWY_ALIGN float normed[kPiece];
  const size_t n = args.x.columns;
  const float squares = Sum(x, n, [](VF v) HWY_ATTR { return hn::Mul(v, v); });
  const VF scale = hn::Set(DF(), 1.0f / std::sqrt(squares / static_cast<float>(n) + args.epsilon));
  for (size_t begin = 0; begin < n; begin += kPiece) {
    const size_t count = HWY_MIN(kPiece, n - begin);
    Map2(x + begin, args.norm + begin, normed, count,
         [scale](VF v, VF w) HWY_ATTR { return hn::Mul(hn::Mul(v, scale), w); });
    QuantizeRow(normed, out + begin / Q8ABlock::kElements, count);
  }
}

HWY_INLINE void PrepareNormed(const NormProduct& args, Team& team, size_t rows) {
  team.share(rows, [&](size_t row) HWY_ATTR {
    std::byte* to = args.workspace + row * args.prepared_bytes();
    const float* x = args.x.floats(row);
    if (args.quantized) {
      NormQuantizeRow(args, x, reinterpret_cast<Q8ABlock*>(to));
    } else {
      RmsNormRow(x, args.norm, args.epsilon, reinterpret_cast<float*>(to), args.x.columns);
    }
  });
  team.barrier();
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LINNET_CPU_KERNELS_NORM_PRODUCT_INL_H_
