// Softmax over the last dimension: out = exp(x − max) / Σ exp(x − max). −infinity is a masked entry (0).
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct Softmax {
  static constexpr std::string_view kName = "softmax";
  Value x;    // [rows…, width]
  Value out;  // like x

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.x, Access::read, "x");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

Value softmax(Recorder& recorder, Value x, std::string_view name = {});

}  // namespace linnet
