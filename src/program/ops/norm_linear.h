// Fused: RMS norm, then linear. `input` is what the normed row becomes before the product: q8_a for an
// integer product, or compute.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct NormLinear {
  static constexpr std::string_view kName = "norm_linear";
  Value x;       // [rows, k] f32
  Value norm;    // [k] f32
  Value weight;  // [n, k]
  Value bias;    // [n] f32, or absent
  Value out;     // [rows, n] f32
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

Value norm_linear(Recorder& recorder, Value x, Value norm, float epsilon, Value weight, Value bias = {},
                  std::string_view name = {}, Format input = Format::compute);

class OperandCheck;
// What every fused op with a norm before its product checks.
void check_norm_product(const OperandCheck& operand, Value x, Value norm, Value weight, Value bias,
                        Format input);

}  // namespace linnet
