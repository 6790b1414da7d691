#include "check/case.h"

namespace linnet {
namespace {

Case norm(const std::string& name, uint32_t capacity, uint32_t count, uint32_t width, Fill x_fill = {},
          float epsilon = 1e-5f, Format format = Format::f32) {
  CaseBuilder builder(concat("rms_norm/", name, "_", format, "_", count, "of", capacity, "x", width));
  const Dim rows = builder.extent("rows", capacity, count);
  const Value x = builder.input({rows, width}, format, "x", std::move(x_fill));
  const Value weight = builder.weight({Dim(width)}, Format::f32, "weight", Fill::normal(0.5f, 1));
  const Value out = builder.output({rows, width}, format, "out");
  return builder.record(RmsNorm{.x = x, .weight = weight, .out = out, .epsilon = epsilon});
}

Case strided() {
  CaseBuilder builder("rms_norm/view");
  const Dim rows = builder.extent("rows", 6, 5);
  const Value wide = builder.input({rows, 150}, Format::f32, "wide");
  const Value x = builder.recorder().view(wide, 3, {rows, 77});
  const Value weight = builder.weight({Dim(77)}, Format::f32, "weight");
  const Value out = builder.output({rows, 77}, Format::f32, "out");
  return builder.record(RmsNorm{.x = x, .weight = weight, .out = out});
}

// Each head is normed by itself.
Case per_head() {
  CaseBuilder builder("rms_norm/per_head");
  const Dim rows = builder.extent("rows", 4, 3);
  const Value x = builder.input({rows, 5, 20}, Format::f32, "x");
  const Value weight = builder.weight({Dim(20)}, Format::f32, "weight");
  const Value out = builder.output({rows, 5, 20}, Format::f32, "out");
  return builder.record(RmsNorm{.x = x, .weight = weight, .out = out});
}

}  // namespace

template <>
std::vector<Case> cases<RmsNorm>() {
  std::vector<Case> all;
  for (const uint32_t width : {1u, 3u, 8u, 31u, 64u, 67u, 255u, 2048u})
    all.push_back(norm("width", 4, 3, width));
  for (const uint32_t rows : {1u, 2u, 17u, 64u}) all.push_back(norm("rows", 64, rows, 96));
  all.push_back(norm("large", 2, 2, 65, Fill::normal(1e6f)));
  all.push_back(norm("small", 2, 2, 65, Fill::normal(1e-3f)));  // epsilon matters
  all.push_back(norm("epsilon", 2, 2, 65, Fill::normal(1e-3f), 1e-2f));
  all.push_back(norm("zeros", 2, 2, 65, Fill::values({0})));
  all.push_back(norm("offset", 2, 2, 65, Fill::normal(1, 1000)));
  all.push_back(norm("half", 3, 2, 64, {}, 1e-5f, Format::f16));
  all.push_back(norm("bfloat", 3, 2, 64, {}, 1e-5f, Format::bf16));
  all.push_back(strided());
  all.push_back(per_head());
  return all;
}

}  // namespace linnet
