// Quantize: activations become int8 codes with a scale per 32 (format/q8_a.h), for integer products.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct Quantize {
  static constexpr std::string_view kName = "quantize";
  Value x;    // [rows…, width], width a multiple of 32
  Value out;  // like x, q8_a

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.x, Access::read, "x");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

Value quantize(Recorder& recorder, Value x, std::string_view name = {});

}  // namespace linnet
