#include "check/case.h"

namespace linnet {
namespace {

Case gated(ActivationKind kind, uint32_t capacity, uint32_t count, uint32_t width, float deviation = 2,
           Format format = Format::f32) {
  CaseBuilder builder(concat("gated_activation/", to_string(kind), "_", format, "_", count, "of", capacity,
                             "x", width, "_deviation", deviation));
  const Dim rows = builder.extent("rows", capacity, count);
  const Value x = builder.input({rows, 2 * width}, format, "x", Fill::normal(deviation));
  const Value out = builder.output({rows, width}, format, "out");
  return builder.record(GatedActivation{.x = x, .out = out, .kind = kind});
}

}  // namespace

template <>
std::vector<Case> cases<GatedActivation>() {
  std::vector<Case> all;
  for (const ActivationKind kind : {ActivationKind::silu, ActivationKind::gelu, ActivationKind::gelu_tanh}) {
    for (const uint32_t width : {1u, 7u, 64u, 67u}) all.push_back(gated(kind, 4, 3, width));
    all.push_back(gated(kind, 17, 17, 33));
    all.push_back(gated(kind, 2, 2, 65, 100));
    all.push_back(gated(kind, 2, 1, 32, 2, Format::f16));
  }
  return all;
}

}  // namespace linnet
