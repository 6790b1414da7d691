#include <cmath>

#include "check/case.h"

namespace linnet {
namespace {

// Frequencies of a model with this base, as high and low part.
Fill frequencies(uint32_t pairs, double base) {
  std::vector<float> parts;
  for (uint32_t i = 0; i < pairs; ++i) {
    const double exact = std::pow(base, -static_cast<double>(i) / pairs);
    const auto high = static_cast<float>(exact);
    parts.push_back(high);
    parts.push_back(static_cast<float>(exact - static_cast<double>(high)));
  }
  return Fill::values(std::move(parts));
}

enum class Rows : uint8_t { extent, fixed };  // fixed: as a decode program has them

Case angles(const std::string& name, uint32_t pairs, double base, std::vector<int32_t> positions,
            Rows kind = Rows::extent) {
  const auto count = static_cast<uint32_t>(positions.size());
  CaseBuilder builder(concat("rope_angles/", name, "_", count, "x", pairs));
  const Dim rows = kind == Rows::fixed ? Dim(count) : builder.extent("rows", count + 2, count);
  positions.resize(rows.max, 0);
  const Value in = builder.input({rows}, Format::i32, "positions", Fill::integers(positions));
  const Value table = builder.weight({pairs, 2}, Format::f32, "frequencies", frequencies(pairs, base));
  const Value out = builder.output({rows, pairs, 2}, Format::f32, "out");
  return builder.record(RopeAngles{.positions = in, .frequencies = table, .out = out});
}

}  // namespace

template <>
std::vector<Case> cases<RopeAngles>() {
  return {angles("first", 32, 1e4, {0, 1, 2, 3}),
          angles("one_row", 64, 1e4, {77}),
          angles("odd_pairs", 5, 1e4, {0, 9, 100}),
          angles("long", 32, 1e4, {2047, 4095, 32767, 131071}),
          angles("very_long", 64, 5e5, {999983, 1048575}),
          angles("one_pair", 1, 1e4, {3, 50000}),
          angles("fixed_rows", 32, 1e4, {5, 0, 900, 64}, Rows::fixed)};
}

}  // namespace linnet
