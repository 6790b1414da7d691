// Fused, the third and fifth stage of a decoder layer: linear, then the residual is added. `input` is what x
// becomes before the product: q8_a for an integer product, or compute (x as it is).
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct LinearAdd {
  static constexpr std::string_view kName = "linear_add";
  Value x;         // [rows, k]
  Value weight;    // [n, k]
  Value bias;      // [n] f32, or absent
  Value residual;  // [rows, n] f32
  Value out;       // [rows, n] f32
  Format input = Format::compute;

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.x, Access::read, "x");
    visit(op.weight, Access::read, "weight");
    visit(op.bias, Access::read, "bias");
    visit(op.residual, Access::read, "residual");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
  void expand(Recorder& into) const;
};

Value linear_add(Recorder& recorder, Value x, Value weight, Value bias, Value residual,
                 std::string_view name = {});

}  // namespace linnet
