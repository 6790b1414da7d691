#include "check/case.h"

namespace linnet {
namespace {

Case sum(uint32_t capacity, uint32_t count, uint32_t width, Format a_format, Format b_format,
         Format out_format) {
  CaseBuilder builder(
      concat("add/", a_format, "_", b_format, "_", out_format, "_", count, "of", capacity, "x", width));
  const Dim rows = builder.extent("rows", capacity, count);
  const Value a = builder.input({rows, width}, a_format, "a");
  const Value b = builder.input({rows, width}, b_format, "b", Fill::normal(100));
  const Value out = builder.output({rows, width}, out_format, "out");
  return builder.record(Add{.a = a, .b = b, .out = out});
}

Case strided() {
  CaseBuilder builder("add/views");
  const Dim rows = builder.extent("rows", 7, 6);
  const Value wide = builder.input({rows, 83}, Format::f32, "wide");
  const Value a = builder.recorder().view(wide, 1, {rows, 37});
  const Value b = builder.recorder().view(wide, 41, {rows, 37});
  const Value out = builder.output({rows, 37}, Format::f32, "out");
  return builder.record(Add{.a = a, .b = b, .out = out});
}

}  // namespace

template <>
std::vector<Case> cases<Add>() {
  std::vector<Case> all;
  for (const uint32_t width : {1u, 7u, 64u, 129u, 2048u})
    all.push_back(sum(4, 3, width, Format::f32, Format::f32, Format::f32));
  for (const uint32_t rows : {1u, 17u, 64u})
    all.push_back(sum(rows, rows, 33, Format::f32, Format::f32, Format::f32));
  all.push_back(sum(3, 2, 40, Format::f16, Format::f32, Format::f32));
  all.push_back(sum(3, 2, 40, Format::bf16, Format::bf16, Format::bf16));
  all.push_back(strided());
  return all;
}

}  // namespace linnet
