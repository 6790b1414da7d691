#include "check/case.h"

namespace linnet {
namespace {

Case lookup(Format format, uint32_t entries, uint32_t width, std::vector<int32_t> ids,
            Format out_format = Format::f32) {
  const auto count = static_cast<uint32_t>(ids.size());
  CaseBuilder builder(
      concat("embedding/", format, "_", entries, "x", width, "_ids", count, "_to_", out_format));
  const Dim rows = builder.extent("rows", count + 3, count);
  const Value table =
      builder.weight({entries, width}, format, "table", Fill::stacked(width % 3 == 0 ? 3 : 1));
  ids.resize(count + 3, -1);  // beyond the extent: never looked at
  const Value in = builder.input({rows}, Format::i32, "ids", Fill::integers(ids));
  const Value out = builder.output({rows, width}, out_format, "out");
  return builder.record(Embedding{.table = table, .ids = in, .out = out});
}

// Rows of activations, as the last rows of a prefill are gathered; the table is an input with an extent.
Case gather(uint32_t width) {
  CaseBuilder builder(concat("embedding/gather_activations_", width));
  const Dim rows = builder.extent("rows", 8, 5);
  const Value table = builder.input({rows, width}, Format::f32, "table");
  const Value ids = builder.input({Dim(3)}, Format::i32, "ids", Fill::integers({4, 0, 4}));
  const Value out = builder.output({3, width}, Format::f32, "out");
  return builder.record(Embedding{.table = table, .ids = ids, .out = out});
}

}  // namespace

template <>
std::vector<Case> cases<Embedding>() {
  std::vector<Case> all;
  for (const Format format : {Format::f32, Format::f16, Format::bf16, Format::q8_0}) {
    all.push_back(lookup(format, 50, 96, {0, 49, 7, 7, 31}));
    all.push_back(lookup(format, 3, 32, {2}));
    if (format != Format::q8_0) all.push_back(lookup(format, 17, 45, {16, 0, 3}));
  }
  all.push_back(lookup(Format::f32, 9, 33, {8, 1}, Format::f16));
  all.push_back(lookup(Format::q8_0, 9, 64, {8, 1}, Format::bf16));
  all.push_back(gather(64));
  all.push_back(gather(7));
  return all;
}

}  // namespace linnet
