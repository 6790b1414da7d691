// RMS norm over the last dimension: out = x / sqrt(mean(x²) + epsilon) · weight.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct RmsNorm {
  static constexpr std::string_view kName = "rms_norm";
  Value x;       // [rows…, width]
  Value weight;  // [width] f32
  Value out;     // like x
  float epsilon = 1e-5f;

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.x, Access::read, "x");
    visit(op.weight, Access::read, "weight");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

Value rms_norm(Recorder& recorder, Value x, Value weight, float epsilon, std::string_view name = {},
               Format out_format = Format::compute);

}  // namespace linnet
