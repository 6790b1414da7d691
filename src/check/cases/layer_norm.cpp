#include "check/case.h"

namespace linnet {
namespace {

Case norm(const std::string& name, uint32_t capacity, uint32_t count, uint32_t width, bool weight, bool bias,
          Fill x_fill = {}, Format format = Format::f32) {
  CaseBuilder builder(concat("layer_norm/", name, "_", format, "_", count, "of", capacity, "x", width));
  const Dim rows = builder.extent("rows", capacity, count);
  const Value x = builder.input({rows, width}, format, "x", std::move(x_fill));
  const Value w =
      weight ? builder.weight({Dim(width)}, Format::f32, "weight", Fill::normal(0.5f, 1)) : Value{};
  const Value b = bias ? builder.weight({Dim(width)}, Format::f32, "bias") : Value{};
  const Value out = builder.output({rows, width}, format, "out");
  return builder.record(LayerNorm{.x = x, .weight = w, .bias = b, .out = out});
}

Case strided() {
  CaseBuilder builder("layer_norm/view");
  const Dim rows = builder.extent("rows", 6, 5);
  const Value wide = builder.input({rows, 150}, Format::f32, "wide");
  const Value x = builder.recorder().view(wide, 5, {rows, 71});
  const Value out = builder.output({rows, 71}, Format::f32, "out");
  return builder.record(LayerNorm{.x = x, .weight = {}, .bias = {}, .out = out});
}

}  // namespace

template <>
std::vector<Case> cases<LayerNorm>() {
  std::vector<Case> all;
  for (const uint32_t width : {1u, 3u, 8u, 31u, 64u, 67u, 255u, 2048u})
    all.push_back(norm("width", 4, 3, width, true, true));
  for (const uint32_t rows : {1u, 2u, 17u, 64u}) all.push_back(norm("rows", 64, rows, 96, true, true));
  all.push_back(norm("plain", 3, 2, 77, false, false));
  all.push_back(norm("no_bias", 3, 2, 77, true, false));
  all.push_back(norm("no_weight", 3, 2, 77, false, true));
  all.push_back(norm("large", 2, 2, 65, true, true, Fill::normal(1e6f)));
  all.push_back(norm("offset", 2, 2, 65, true, true, Fill::normal(1, 100)));
  all.push_back(norm("constant", 2, 2, 64, true, true, Fill::values({0.5f})));
  all.push_back(norm("half", 3, 2, 64, true, true, {}, Format::f16));
  all.push_back(strided());
  return all;
}

}  // namespace linnet
