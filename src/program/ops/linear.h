// Linear: out[r, n] = Σ_k x[r, k] · weight[n, k] + bias[n].
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct Linear {
  static constexpr std::string_view kName = "linear";
  Value x;       // [rows…, k], a number format or q8_a
  Value weight;  // [n, k], any weight format
  Value bias;    // [n] f32, or absent
  Value out;     // [rows…, n]

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.x, Access::read, "x");
    visit(op.weight, Access::read, "weight");
    visit(op.bias, Access::read, "bias");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

// `out_format` is f32 unless the result feeds another product.
Value linear(Recorder& recorder, Value x, Value weight, Value bias = {}, std::string_view name = {},
             Format out_format = Format::f32);

class OperandCheck;
// What every op with a product checks: weight [n, k], bias [n], and x's last dimension k.
void check_product(const OperandCheck& operand, Value x, Value weight, Value bias);

}  // namespace linnet
