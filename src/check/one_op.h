// One op of a program as a program of its own: its operands become external values, so that any of them can
// be given.
#pragma once

#include <map>

#include "program/program.h"

namespace linnet {

struct OneOp {
  Program program;
  std::map<uint32_t, Value> original;  // by value of `program`: the operand in the program it was taken from
};

// What is only read becomes an input, what is written an output, what is updated or both read and written a
// state; weights stay weights. Views become values of their own. Codes (q8_a) that are read become f32: code
// · scale is the same number.
[[nodiscard]] OneOp one_op(const Program& program, const Op& op);

}  // namespace linnet
