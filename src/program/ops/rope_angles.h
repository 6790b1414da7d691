// RoPE angles: out[r, i] = (cos, sin) of positions[r] · frequency[i], once per run for all layers.
// A frequency (radians per position) is computed in float64 when the model is loaded and comes as two floats
// whose sum it is, so that the angle is good at any position: kernels multiply and reduce in float64 or in
// two floats.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct RopeAngles {
  static constexpr std::string_view kName = "rope_angles";
  Value positions;    // [rows] i32
  Value frequencies;  // [pairs, 2] f32: high and low part
  Value out;          // [rows, pairs, 2] f32: cosine, sine

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.positions, Access::read, "positions");
    visit(op.frequencies, Access::read, "frequencies");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

Value rope_angles(Recorder& recorder, Value positions, Value frequencies, std::string_view name = {});

}  // namespace linnet
