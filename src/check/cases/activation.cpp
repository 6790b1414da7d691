#include "check/case.h"

namespace linnet {
namespace {

Case activated(ActivationKind kind, const std::string& name, uint32_t capacity, uint32_t count,
               uint32_t width, Fill fill = {}, Format format = Format::f32) {
  CaseBuilder builder(
      concat("activation/", to_string(kind), "_", name, "_", format, "_", count, "of", capacity, "x", width));
  const Dim rows = builder.extent("rows", capacity, count);
  const Value x = builder.input({rows, width}, format, "x", std::move(fill));
  const Value out = builder.output({rows, width}, format, "out");
  return builder.record(Activation{.x = x, .out = out, .kind = kind});
}

}  // namespace

template <>
std::vector<Case> cases<Activation>() {
  std::vector<Case> all;
  for (const ActivationKind kind : {ActivationKind::silu, ActivationKind::gelu, ActivationKind::gelu_tanh}) {
    for (const uint32_t width : {1u, 7u, 64u, 67u}) all.push_back(activated(kind, "width", 4, 3, width));
    all.push_back(activated(kind, "rows", 17, 17, 33, Fill::normal(4)));
    all.push_back(activated(kind, "wide_range", 2, 2, 129, Fill::normal(60)));
    all.push_back(
        activated(kind, "edges", 1, 1, 12,
                  Fill::values({0, -0.0f, 1e-30f, -1e-30f, 20, -20, 90, -90, 1e4f, -1e4f, 0.5f, -0.5f})));
    all.push_back(activated(kind, "half", 2, 2, 64, {}, Format::f16));
  }
  return all;
}

}  // namespace linnet
