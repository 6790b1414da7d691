// Layer norm over the last dimension: out = (x − mean) / sqrt(variance + epsilon) · weight + bias.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct LayerNorm {
  static constexpr std::string_view kName = "layer_norm";
  Value x;       // [rows…, width]
  Value weight;  // [width] f32, or absent: 1
  Value bias;    // [width] f32, or absent: 0
  Value out;     // like x
  float epsilon = 1e-5f;

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.x, Access::read, "x");
    visit(op.weight, Access::read, "weight");
    visit(op.bias, Access::read, "bias");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

Value layer_norm(Recorder& recorder, Value x, Value weight, Value bias, float epsilon,
                 std::string_view name = {}, Format out_format = Format::compute);

}  // namespace linnet
