// RoPE: rotates pairs of elements of each head by the row's angles (Su et al., "RoFormer"). With fewer pairs
// than half the head, the rest of the head is copied.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

enum class RopePairs : uint8_t {
  adjacent,  // (0, 1), (2, 3), …: Llama as GGUF files store it
  halves,    // (0, n), (1, n + 1), … with n pairs: the layout of transformers
};

struct Rope {
  static constexpr std::string_view kName = "rope";
  Value x;       // [rows, heads, width]
  Value angles;  // [rows, pairs, 2] f32
  Value out;     // like x
  RopePairs pairs = RopePairs::adjacent;

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.x, Access::read, "x");
    visit(op.angles, Access::read, "angles");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

Value rope(Recorder& recorder, Value x, Value angles, RopePairs pairs, std::string_view name = {},
           Format out_format = Format::compute);

}  // namespace linnet
