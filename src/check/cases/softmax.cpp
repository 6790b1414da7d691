#include <limits>

#include "check/case.h"

namespace linnet {
namespace {

Case softmax_of(const std::string& name, uint32_t capacity, uint32_t count, uint32_t width, Fill fill = {},
                Format format = Format::f32) {
  CaseBuilder builder(concat("softmax/", name, "_", format, "_", count, "of", capacity, "x", width));
  const Dim rows = builder.extent("rows", capacity, count);
  const Value x = builder.input({rows, width}, format, "x", std::move(fill));
  const Value out = builder.output({rows, width}, Format::f32, "out");
  return builder.record(Softmax{.x = x, .out = out});
}

Case strided() {
  CaseBuilder builder("softmax/view");
  const Dim rows = builder.extent("rows", 6, 5);
  const Value wide = builder.input({rows, 90}, Format::f32, "wide");
  const Value x = builder.recorder().view(wide, 7, {rows, 53});
  const Value out = builder.output({rows, 53}, Format::f32, "out");
  return builder.record(Softmax{.x = x, .out = out});
}

}  // namespace

template <>
std::vector<Case> cases<Softmax>() {
  constexpr float kMasked = -std::numeric_limits<float>::infinity();
  std::vector<Case> all;
  for (const uint32_t width : {1u, 2u, 3u, 8u, 31u, 64u, 67u, 1000u})
    all.push_back(softmax_of("width", 4, 3, width));
  for (const uint32_t rows : {1u, 17u, 64u}) all.push_back(softmax_of("rows", 64, rows, 33));
  all.push_back(softmax_of("masked", 2, 2, 35, Fill::values({1, kMasked, 2, 0.5f, kMasked, -3, kMasked})));
  all.push_back(
      softmax_of("one_left", 1, 1, 9,
                 Fill::values({kMasked, kMasked, 5, kMasked, kMasked, kMasked, kMasked, kMasked, kMasked})));
  all.push_back(softmax_of("large", 2, 2, 65, Fill::normal(50, 1e4f)));
  all.push_back(softmax_of("wide_range", 2, 2, 65, Fill::normal(60)));
  all.push_back(softmax_of("equal", 2, 2, 65, Fill::values({-7})));
  all.push_back(softmax_of("half", 2, 2, 64, {}, Format::f16));
  all.push_back(strided());
  return all;
}

}  // namespace linnet
