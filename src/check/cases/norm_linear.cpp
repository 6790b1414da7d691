#include "check/case.h"

namespace linnet {
namespace {

Case fused(uint32_t capacity, uint32_t count, uint32_t n, uint32_t k, Format weight_format, Format input,
           bool bias) {
  CaseBuilder builder(concat("norm_linear/", weight_format, "_", input, "_", count, "of", capacity, "x", n,
                             "x", k, bias ? "_bias" : ""));
  const Dim rows = builder.extent("rows", capacity, count);
  const Value x = builder.input({rows, k}, Format::f32, "x", Fill::normal(2));
  const Value norm = builder.weight({Dim(k)}, Format::f32, "norm", Fill::normal(0.3f, 1));
  const Value weight = builder.weight({n, k}, weight_format, "weight", Fill::normal(0.1f));
  const Value b = bias ? builder.weight({Dim(n)}, Format::f32, "bias") : Value{};
  const Value out = builder.output({rows, n}, Format::f32, "out");
  return builder.record(
      NormLinear{.x = x, .norm = norm, .weight = weight, .bias = b, .out = out, .input = input});
}

}  // namespace

template <>
std::vector<Case> cases<NormLinear>() {
  std::vector<Case> all;
  for (const Format format : {Format::f32, Format::f16, Format::bf16, Format::q8_0}) {
    const uint32_t odd = format == Format::q8_0 ? 96 : 77;
    for (const uint32_t rows : {1u, 2u, 5u, 17u})
      all.push_back(fused(rows, rows, 65, odd, format, Format::compute, false));
    all.push_back(fused(8, 3, 33, 64, format, Format::compute, true));
  }
  for (const uint32_t rows : {1u, 2u, 3u, 17u, 64u})
    all.push_back(fused(64, rows, 65, 96, Format::q8_0, Format::q8_a, rows == 3));
  Case large = fused(1, 1, 515, 2048, Format::q8_0, Format::q8_a, false);
  large.quick = false;
  all.push_back(std::move(large));
  return all;
}

}  // namespace linnet
