// Add: out = a + b, element by element.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct Add {
  static constexpr std::string_view kName = "add";
  Value a;
  Value b;    // like a
  Value out;  // like a

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.a, Access::read, "a");
    visit(op.b, Access::read, "b");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

Value add(Recorder& recorder, Value a, Value b, std::string_view name = {});

}  // namespace linnet
