#include "check/case.h"

namespace linnet {
namespace {

Case fused(uint32_t capacity, uint32_t count, uint32_t n, uint32_t k, Format weight_format, Format input,
           bool bias, Format x_format = Format::f32) {
  CaseBuilder builder(concat("linear_add/", weight_format, "_", input, "_", count, "of", capacity, "x", n,
                             "x", k, bias ? "_bias" : "",
                             x_format != Format::f32 ? concat("_x_", x_format) : ""));
  const Dim rows = builder.extent("rows", capacity, count);
  const Value x = builder.input({rows, k}, x_format, "x");
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
    // Few rows of the weight, each so long that a device may share it among several who multiply.
    all.push_back(fused(3, 2, 7, 4352, format, Format::compute, false));
  }
  // As a step of decode has it: few rows of what attention wrote.
  for (const Format x_format : {Format::f16, Format::bf16}) {
    for (const Format format : {Format::bf16, Format::q8_0})
      all.push_back(fused(4, 3, 33, 96, format, Format::compute, false, x_format));
  }
  // Prompts, as cases<Linear>() has them.
  for (const Format x_format : {Format::f16, Format::bf16}) {
    for (const Format format : {Format::f32, Format::f16, Format::bf16, Format::q8_0})
      all.push_back(fused(24, 11, 72, 64, format, Format::compute, true, x_format));
    all.push_back(fused(16, 9, 8200, 64, Format::q8_0, Format::compute, true, x_format));
    all.push_back(fused(9, 9, 136, 1024, Format::q8_0, Format::compute, false, x_format));
  }
  // Some dozens of rows with whole tiles of BF16 weights, which a device may take as one stage: one tile,
  // more rows of the weight than a tile has, sums in several parts, sums longer than what is on its way at
  // once.
  for (const uint32_t rows : {1u, 17u, 64u}) {
    all.push_back(fused(64, rows, 32, 128, Format::bf16, Format::compute, false, Format::bf16));
    all.push_back(fused(64, rows, 416, 1088, Format::bf16, Format::compute, rows == 17, Format::bf16));
  }
  all.push_back(fused(33, 33, 96, 6208, Format::bf16, Format::compute, false, Format::bf16));
  all.push_back(fused(64, 17, 32, 128, Format::q8_0, Format::compute, false, Format::bf16));
  all.push_back(fused(64, 64, 416, 1088, Format::q8_0, Format::compute, true, Format::bf16));
  all.push_back(fused(33, 33, 96, 6208, Format::q8_0, Format::compute, false, Format::bf16));
  // Room for hundreds of rows: few tiles, as many as a GPU has at once, more.
  all.push_back(fused(513, 270, 256, 320, Format::bf16, Format::compute, true, Format::bf16));
  all.push_back(fused(513, 3, 15360, 64, Format::bf16, Format::compute, true, Format::bf16));
  all.push_back(fused(600, 5, 32768, 64, Format::bf16, Format::compute, false, Format::bf16));
  // The same with codes, from some more rows on.
  for (const uint32_t rows : {1u, 75u, 250u})
    all.push_back(fused(300, rows, 256, 384, Format::q8_0, Format::compute, rows == 75, Format::bf16));
  all.push_back(fused(65, 5, 17408, 128, Format::q8_0, Format::compute, true, Format::bf16));
  for (const uint32_t rows : {1u, 2u, 3u, 17u, 64u})
    all.push_back(fused(64, rows, 65, 96, Format::q8_0, Format::q8_a, rows == 3));
  Case large = fused(1, 1, 515, 5632, Format::q8_0, Format::q8_a, false);
  large.quick = false;
  all.push_back(std::move(large));
  return all;
}

}  // namespace linnet
