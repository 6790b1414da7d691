// Fused, the fourth stage of a decoder layer: RMS norm, the stacked gate|up product, and the gated
// activation. `input` as in norm_linear.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/ops/activation.h"
#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct NormGatedLinear {
  static constexpr std::string_view kName = "norm_gated_linear";
  Value x;       // [rows, k] f32
  Value norm;    // [k] f32
  Value weight;  // [2 · width, k]: gate rows, then up rows
  Value bias;    // [2 · width] f32, or absent
  Value out;     // [rows, width]
  ActivationKind kind = ActivationKind::silu;
  float epsilon = 1e-5f;
  Format input = Format::compute;

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.x, Access::read, "x");
    visit(op.norm, Access::read, "norm");
    visit(op.weight, Access::read, "weight");
    visit(op.bias, Access::read, "bias");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
  void expand(Recorder& into) const;
};

Value norm_gated_linear(Recorder& recorder, Value x, Value norm, float epsilon, Value weight, Value bias,
                        ActivationKind kind, std::string_view name = {});

}  // namespace linnet
