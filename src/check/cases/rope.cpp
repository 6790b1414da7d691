#include "check/case.h"

namespace linnet {
namespace {

struct Heads {
  uint32_t count, width, pairs;
};

std::string name_of(std::string_view what, Heads heads, RopePairs pairs) {
  return concat("rope/", what, "_", pairs == RopePairs::adjacent ? "adjacent" : "halves", "_", heads.count,
                "x", heads.width, "_", heads.pairs, "pairs");
}

Case turned(Heads heads, RopePairs pairs, uint32_t capacity, uint32_t count,
            Format out_format = Format::f32) {
  CaseBuilder builder(name_of(concat(count, "of", capacity, "_", out_format), heads, pairs));
  const Dim rows = builder.extent("rows", capacity, count);
  const Value x = builder.input({rows, heads.count, heads.width}, Format::f32, "x", Fill::normal(3));
  const Value angles = builder.input({rows, heads.pairs, 2}, Format::f32, "angles", Fill::normal(0.6f));
  const Value out = builder.output({rows, heads.count, heads.width}, out_format, "out");
  return builder.record(Rope{.x = x, .angles = angles, .out = out, .pairs = pairs});
}

// As keys lie in a stacked product: between queries and values.
Case strided(RopePairs pairs) {
  CaseBuilder builder(name_of("view", {2, 20, 10}, pairs));
  const Dim rows = builder.extent("rows", 5, 4);
  const Value wide = builder.input({rows, 131}, Format::f32, "wide");
  const Value x = builder.recorder().view(wide, 51, {rows, 2, 20});
  const Value angles = builder.input({rows, 10, 2}, Format::f32, "angles", Fill::normal(0.6f));
  const Value out = builder.output({rows, 2, 20}, Format::f32, "out");
  return builder.record(Rope{.x = x, .angles = angles, .out = out, .pairs = pairs});
}

}  // namespace

template <>
std::vector<Case> cases<Rope>() {
  std::vector<Case> all;
  for (const RopePairs pairs : {RopePairs::adjacent, RopePairs::halves}) {
    for (const uint32_t width : {2u, 10u, 64u, 80u, 128u})
      all.push_back(turned({4, width, width / 2}, pairs, 4, 3));
    all.push_back(turned({1, 64, 32}, pairs, 17, 17));
    all.push_back(turned({3, 80, 16}, pairs, 3, 2));  // most of the head is copied
    all.push_back(turned({3, 13, 5}, pairs, 3, 2));   // an odd head
    all.push_back(turned({2, 64, 32}, pairs, 3, 2, Format::f16));
    all.push_back(strided(pairs));
  }
  return all;
}

}  // namespace linnet
