#include "check/case.h"

namespace linnet {
namespace {

Case fused(uint32_t capacity, uint32_t count, uint32_t n, uint32_t k, Format weight_format, Format input,
           bool bias) {
  CaseBuilder builder(concat("linear_add/", weight_format, "_", input, "_", count, "of", capacity, "x", n,
                             "x", k, bias ? "_bias" : ""));
  const Dim rows = builder.extent("rows", capacity, count);
  const Value x = builder.input({rows, k}, Format::f32, "x");
  const Value weight = builder.weight({n, k}, weight_format, "weight", Fill::normal(0.1f));
  const Value b = bias ? builder.weight({Dim(n)}, Format::f32, "bias") : Value{};
  const Value residual = builder.input({rows, n}, Format::f32, "residual", Fill::normal(5));
  const Value out = builder.output({rows, n}, Format::f32, "out");
  return builder.record(
      LinearAdd{.x = x, .weight = weight, .bias = b, .residual = residual, .out = out, .input = input});
}

}  // namespace

template <>
std::vector<Case> cases<LinearAdd>() {
  std::vector<Case> all;
  for (const Format format : {Format::f32, Format::f16, Format::bf16, Format::q8_0}) {
    const uint32_t odd = format == Format::q8_0 ? 96 : 77;
    for (const uint32_t rows : {1u, 2u, 5u, 17u})
      all.push_back(fused(rows, rows, 65, odd, format, Format::compute, false));
    all.push_back(fused(8, 3, 33, 64, format, Format::compute, true));
  }
  for (const uint32_t rows : {1u, 2u, 3u, 17u, 64u})
    all.push_back(fused(64, rows, 65, 96, Format::q8_0, Format::q8_a, rows == 3));
  Case large = fused(1, 1, 515, 5632, Format::q8_0, Format::q8_a, false);
  large.quick = false;
  all.push_back(std::move(large));
  return all;
}

}  // namespace linnet
