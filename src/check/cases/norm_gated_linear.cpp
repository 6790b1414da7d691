#include "check/case.h"

namespace linnet {
namespace {

struct Sizes {
  uint32_t capacity, count, width, k;
};

Case fused(Sizes s, Format weight_format, Format input, bool bias, ActivationKind kind = ActivationKind::silu,
           Format out_format = Format::f32) {
  CaseBuilder builder(concat("norm_gated_linear/", to_string(kind), "_", weight_format, "_", input, "_",
                             s.count, "of", s.capacity, "x", s.width, "x", s.k, bias ? "_bias" : "",
                             out_format != Format::f32 ? concat("_out_", out_format) : ""));
  const Dim rows = builder.extent("rows", s.capacity, s.count);
  const Value x = builder.input({rows, s.k}, Format::f32, "x", Fill::normal(2));
  const Value norm = builder.weight({Dim(s.k)}, Format::f32, "norm", Fill::normal(0.3f, 1));
  Fill stacked = Fill::normal(0.2f);
  stacked.parts = 2;  // gate and up come as two tensors
  const Value weight = builder.weight({2 * s.width, s.k}, weight_format, "weight", stacked);
  const Value b = bias ? builder.weight({Dim(2 * s.width)}, Format::f32, "bias") : Value{};
  const Value out = builder.output({rows, s.width}, out_format, "out");
  return builder.record(NormGatedLinear{
      .x = x, .norm = norm, .weight = weight, .bias = b, .out = out, .kind = kind, .input = input});
}

}  // namespace

template <>
std::vector<Case> cases<NormGatedLinear>() {
  std::vector<Case> all;
  for (const Format format : {Format::f32, Format::f16, Format::bf16, Format::q8_0}) {
    const uint32_t odd = format == Format::q8_0 ? 96 : 77;
    for (const uint32_t rows : {1u, 2u, 5u, 17u})
      all.push_back(fused({rows, rows, 37, odd}, format, Format::compute, false));
    all.push_back(fused({8, 3, 33, 64}, format, Format::compute, true));
    // Widths of whole panels, which a device may keep fused: with bias, more than one tile, more rows than a
    // tile.
    for (const uint32_t rows : {1u, 3u, 29u})
      all.push_back(fused({32, rows, 144, 64}, format, Format::compute, rows != 29));
  }
  for (const uint32_t rows : {5u, 40u, 64u})  // sums in several parts
    for (const Format format : {Format::bf16, Format::q8_0})
      all.push_back(fused({64, rows, 208, 1088}, format, Format::compute, rows == 40));
  // Room for hundreds of rows, with whole tiles of BF16 weights: tiles that are not full, more of them than a
  // GPU has at once, sums longer than what is on its way at once.
  const auto slab = [](Sizes sizes, Format format, bool bias, ActivationKind kind = ActivationKind::silu) {
    return fused(sizes, format, Format::compute, bias, kind, Format::bf16);
  };
  for (const uint32_t rows : {1u, 129u, 300u})
    all.push_back(slab({513, rows, 256, 64}, Format::bf16, rows == 129));
  all.push_back(slab({513, 5, 9216, 64}, Format::bf16, false));
  // The same with codes, from some more rows on.
  for (const uint32_t rows : {1u, 75u, 250u})
    all.push_back(slab({300, rows, 128, 384}, Format::q8_0, rows == 75));
  all.push_back(slab({65, 5, 8704, 128}, Format::q8_0, false));
  for (const ActivationKind kind : {ActivationKind::gelu, ActivationKind::gelu_tanh}) {
    all.push_back(slab({600, 129, 384, 320}, Format::bf16, true, kind));
    all.push_back(slab({130, 129, 256, 384}, Format::q8_0, true, kind));
  }
  for (const uint32_t rows : {1u, 2u, 3u, 17u, 64u})
    all.push_back(fused({64, rows, 41, 96}, Format::q8_0, Format::q8_a, rows == 3));
  for (const ActivationKind kind : {ActivationKind::gelu, ActivationKind::gelu_tanh}) {
    all.push_back(fused({3, 2, 32, 64}, Format::f32, Format::compute, false, kind));
    all.push_back(fused({3, 2, 32, 64}, Format::q8_0, Format::q8_a, false, kind));
  }
  Case large = fused({1, 1, 301, 2048}, Format::q8_0, Format::q8_a, false);
  large.quick = false;
  all.push_back(std::move(large));
  return all;
}

}  // namespace linnet
