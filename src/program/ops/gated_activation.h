// Gated activation: x holds a gate and a value side by side; out[i] = kind(x[i]) · x[width + i].
#pragma once

#include <cstdint>
#include <string_view>

#include "program/ops/activation.h"
#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct GatedActivation {
  static constexpr std::string_view kName = "gated_activation";
  Value x;    // [rows, 2·width]: gates, then values
  Value out;  // [rows, width]
  ActivationKind kind = ActivationKind::silu;

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.x, Access::read, "x");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

Value gated_activation(Recorder& recorder, Value x, ActivationKind kind, std::string_view name = {});

}  // namespace linnet
