// Activation: an element-wise non-linearity.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

enum class ActivationKind : uint8_t {
  silu,       // x / (1 + exp(−x))
  gelu,       // x · Φ(x), with the error function
  gelu_tanh,  // x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))
};

[[nodiscard]] std::string_view to_string(ActivationKind kind) noexcept;

struct Activation {
  static constexpr std::string_view kName = "activation";
  Value x;
  Value out;  // like x
  ActivationKind kind = ActivationKind::silu;

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.x, Access::read, "x");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

Value activation(Recorder& recorder, Value x, ActivationKind kind, std::string_view name = {});

}  // namespace linnet
