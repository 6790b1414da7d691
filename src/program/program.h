// A program: a flat list of typed ops over named values. Plain data, made by a Recorder.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "program/op.h"
#include "program/value.h"

namespace linnet {

struct ExtentInfo {
  std::string name;
  uint32_t max;
  // A run may take more than it asks for, up to max: inputs have something valid there, and nothing is kept
  // of what comes of it.
  bool may_round_up = false;
  uint32_t least = 0;  // fewer are never asked for: a device prepares nothing for them
};

struct Program {
  std::vector<ExtentInfo> extents;
  std::vector<ValueInfo> values;
  std::vector<Op> ops;

  [[nodiscard]] const ValueInfo& info(Value value) const { return values.at(value.id); }
  [[nodiscard]] const Shape& shape(Value value) const { return info(value).shape; }
  [[nodiscard]] Format format(Value value) const { return info(value).format; }
  // The value whose memory this one lies in: itself unless it is a view.
  [[nodiscard]] Value base(Value value) const {
    const Value base = info(value).view.base;
    return base ? base : value;
  }
  // Elements from one row to the next in memory.
  [[nodiscard]] size_t row_stride(Value value) const { return shape(base(value)).columns(); }
  // The first value of that name; absent if there is none.
  [[nodiscard]] Value find(std::string_view name) const noexcept;
  // Bytes of a value's own memory at full capacity; 0 for a view.
  [[nodiscard]] size_t bytes(Value value) const;
};

// One line per op: name, operands with shapes and formats.
std::ostream& operator<<(std::ostream& out, const Program& program);

}  // namespace linnet
