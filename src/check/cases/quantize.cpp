#include <limits>

#include "check/case.h"

namespace linnet {
namespace {

Case codes(const std::string& name, uint32_t capacity, uint32_t count, uint32_t width, Fill fill = {}) {
  CaseBuilder builder(concat("quantize/", name, "_", count, "of", capacity, "x", width));
  const Dim rows = builder.extent("rows", capacity, count);
  const Value x = builder.input({rows, width}, Format::f32, "x", std::move(fill));
  const Value out = builder.output({rows, width}, Format::q8_a, "out");
  return builder.record(Quantize{.x = x, .out = out});
}

// Every value half-way between two codes: 127 is the largest, so the scale is 1.
std::vector<float> ties() {
  std::vector<float> numbers{127};
  for (int i = 0; i < 31; ++i)
    numbers.push_back((i % 2 == 0 ? 1.0f : -1.0f) * (static_cast<float>(i) + 0.5f));
  return numbers;
}

std::vector<float> with_one(float special) {
  std::vector<float> numbers(32, 1.0f);
  numbers[5] = special;
  return numbers;
}

}  // namespace

template <>
std::vector<Case> cases<Quantize>() {
  std::vector<Case> all;
  for (const uint32_t width : {32u, 64u, 96u, 2048u}) all.push_back(codes("width", 4, 3, width));
  for (const uint32_t rows : {1u, 17u, 64u}) all.push_back(codes("rows", 64, rows, 160));
  all.push_back(codes("ties", 1, 1, 64, Fill::values(ties())));
  all.push_back(codes("zeros", 2, 2, 64, Fill::values({0})));
  all.push_back(codes("tiny", 2, 2, 64, Fill::normal(1e-33f)));
  all.push_back(codes("large", 2, 2, 64, Fill::normal(1e30f)));
  all.push_back(codes("infinite", 1, 1, 64, Fill::values(with_one(std::numeric_limits<float>::infinity()))));
  all.push_back(codes("nan", 1, 1, 32, Fill::values(with_one(std::numeric_limits<float>::quiet_NaN()))));
  return all;
}

}  // namespace linnet
