#include "check/case.h"

namespace linnet {
namespace {

struct Shape3 {
  uint32_t rows, n, k;
};

Case product(Shape3 s, Format x_format, Format weight_format, bool bias, uint32_t capacity = 0,
             uint32_t parts = 1) {
  CaseBuilder builder(concat("linear/", x_format, "_", weight_format, "_", s.rows, "x", s.n, "x", s.k,
                             bias ? "_bias" : "", capacity != 0 ? "_of" : "",
                             capacity != 0 ? concat(capacity) : "", parts != 1 ? "_stacked" : ""));
  const Dim rows = capacity != 0 ? builder.extent("rows", capacity, s.rows) : Dim(s.rows);
  const Value x = builder.input({rows, s.k}, x_format, "x");
  const Value weight = builder.weight({s.n, s.k}, weight_format, "weight", Fill::stacked(parts));
  const Value b = bias ? builder.weight({Dim(s.n)}, Format::f32, "bias") : Value{};
  const Value out = builder.output({rows, s.n}, Format::f32, "out");
  return builder.record(Linear{.x = x, .weight = weight, .bias = b, .out = out});
}

// The integer product as programs have it: quantize, whose codes are exact, then linear.
Case quantized(Shape3 s, uint32_t capacity) {
  CaseBuilder builder(concat("linear/quantized_q8_0_", s.rows, "x", s.n, "x", s.k));
  const Dim rows = builder.extent("rows", capacity, s.rows);
  const Value x = builder.input({rows, s.k}, Format::f32, "x");
  const Value weight = builder.weight({s.n, s.k}, Format::q8_0, "weight");
  const Value codes = quantize(builder.recorder(), x);
  const Value out = builder.output({rows, s.n}, Format::f32, "out");
  return builder.record(Linear{.x = codes, .weight = weight, .bias = {}, .out = out});
}

// x is a stretch of columns of something wider, at an odd offset.
Case strided(Format weight_format) {
  CaseBuilder builder(concat("linear/view_", weight_format));
  const Dim rows = builder.extent("rows", 6, 5);
  const Value wide = builder.input({rows, 129}, Format::f32, "wide");
  const Value x = builder.recorder().view(wide, 33, {rows, 64});
  const Value weight = builder.weight({19, 64}, weight_format, "weight");
  const Value out = builder.output({rows, 19}, Format::f32, "out");
  return builder.record(Linear{.x = x, .weight = weight, .bias = {}, .out = out});
}

Case with_values(const std::string& name, Fill x_fill, Fill weight_fill, Format weight_format) {
  CaseBuilder builder(concat("linear/", name, "_", weight_format));
  const Value x = builder.input({2, 64}, Format::f32, "x", std::move(x_fill));
  const Value weight = builder.weight({33, 64}, weight_format, "weight", std::move(weight_fill));
  const Value out = builder.output({2, 33}, Format::f32, "out");
  return builder.record(Linear{.x = x, .weight = weight, .bias = {}, .out = out});
}

Case three_dimensions() {
  CaseBuilder builder("linear/three_dimensions");
  const Dim rows = builder.extent("rows", 4, 3);
  const Value x = builder.input({rows, 5, 32}, Format::f32, "x");
  const Value weight = builder.weight({7, 32}, Format::f32, "weight");
  const Value out = builder.output({rows, 5, 7}, Format::f32, "out");
  return builder.record(Linear{.x = x, .weight = weight, .bias = {}, .out = out});
}

Case slow(Case what) {
  what.quick = false;
  return what;
}

}  // namespace

template <>
std::vector<Case> cases<Linear>() {
  std::vector<Case> all;
  for (const Format format : {Format::f32, Format::f16, Format::bf16, Format::q8_0}) {
    const uint32_t odd = format == Format::q8_0 ? 96 : 67;
    for (const uint32_t rows : {1u, 2u, 3u, 5u, 17u, 64u})
      all.push_back(product({rows, 65, odd}, Format::f32, format, false));
    all.push_back(product({1, 1, 32}, Format::f32, format, true));
    all.push_back(product({3, 31, 160}, Format::f32, format, true, 8));
    all.push_back(product({9, 48, 288}, Format::f32, format, false, 64, 3));
    all.push_back(product({4, 96, 64}, Format::f32, format, true, 0, 2));
    all.push_back(strided(format));
    all.push_back(with_values("large", Fill::normal(1e6f), Fill::normal(1e3f), format));
    all.push_back(with_values("small", Fill::normal(1e-12f), Fill::normal(1e-3f), format));
    all.push_back(with_values("zeros", Fill::values({0}), Fill::normal(), format));
    all.push_back(slow(product({33, 515, 2048}, Format::f32, format, false)));
    all.push_back(slow(product({1, 1030, 2048}, Format::f32, format, false)));
    for (const Format x_format : {Format::f16, Format::bf16})
      all.push_back(product({3, 33, 64}, x_format, format, false));
  }
  // Prompts: more rows than a step of decode has, in 16 bits, and widths that matrix units take. For those a
  // device may unpack the weight, in tiles of some thousand rows, and differently for long sums.
  for (const Format x_format : {Format::f16, Format::bf16}) {
    for (const Format format : {Format::f32, Format::f16, Format::bf16, Format::q8_0}) {
      all.push_back(product({9, 72, 64}, x_format, format, true));
      all.push_back(product({19, 200, 1056}, x_format, format, false, 40));
    }
    all.push_back(product({9, 8200, 64}, x_format, Format::q8_0, true));
    all.push_back(slow(product({12, 8264, 1024}, x_format, Format::q8_0, true, 33)));
  }
  for (const Format format : {Format::f32, Format::f16})
    all.push_back(product({9, 8200, 40}, Format::bf16, format, true));
  for (const uint32_t k : {1u, 3u, 8u, 31u, 33u, 255u})
    all.push_back(product({2, 5, k}, Format::f32, Format::f32, false));
  for (const uint32_t k : {1u, 7u, 33u}) all.push_back(product({2, 5, k}, Format::f32, Format::f16, false));
  for (const uint32_t rows : {1u, 2u, 3u, 5u, 17u, 64u}) {
    all.push_back(product({rows, 65, 96}, Format::q8_a, Format::q8_0, rows == 5));
    all.push_back(quantized({rows, 70, 256}, 64));
  }
  all.push_back(product({3, 16, 32}, Format::q8_a, Format::q8_0, true, 4));
  all.push_back(slow(quantized({1, 1030, 2048}, 4)));
  all.push_back(slow(quantized({33, 257, 5632}, 40)));
  all.push_back(three_dimensions());
  return all;
}

}  // namespace linnet
