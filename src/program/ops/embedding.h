// Embedding lookup: row ids[i] of a table becomes row i of the output. Also gathers rows of activations.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct Embedding {
  static constexpr std::string_view kName = "embedding";
  Value table;  // [entries, width], any number format
  Value ids;    // [n] i32, each in [0, entries)
  Value out;    // [n, width]

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.table, Access::read, "table");
    visit(op.ids, Access::read, "ids");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

Value embedding(Recorder& recorder, Value table, Value ids, std::string_view name = {});

}  // namespace linnet
