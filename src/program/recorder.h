// Records a program: makes values, checks every op against the shapes and formats of its operands and appends
// it. The functions that infer an op's output stand beside the op, e.g. rms_norm(recorder, x, weight,
// epsilon).
#pragma once

#include <cstdint>
#include <string>

#include "program/program.h"

namespace linnet {

class Recorder {
 public:
  Recorder() = default;
  // Goes on with the extents and values of another program and none of its ops.
  static Recorder continuing(const Program& program);

  // A named count that the host passes to every run. At most 8.
  [[nodiscard]] Dim extent(std::string name, uint32_t max) { return extent({std::move(name), max}); }
  [[nodiscard]] Dim extent(ExtentInfo info);
  Value weight(Shape shape, Format format, std::string name) {
    return value(Storage::weight, shape, format, std::move(name));
  }
  Value state(Shape shape, Format format, std::string name) {
    return value(Storage::state, shape, format, std::move(name));
  }
  Value input(Shape shape, Format format, std::string name) {
    return value(Storage::input, shape, format, std::move(name));
  }
  Value output(Shape shape, Format format, std::string name) {
    return value(Storage::output, shape, format, std::move(name));
  }
  Value scratch(Shape shape, Format format, std::string name = {}) {
    return value(Storage::scratch, shape, format, std::move(name));
  }
  // `columns` elements of each row of base, from element `offset` on, seen as shape (same rows).
  Value view(Value base, size_t offset, Shape shape, const std::string& name = {});

  // Takes over the values that another recorder, continuing this one, has added.
  void adopt_values(const Program& program) { program_.values = program.values; }

  // Throws Error("[op] operand: expected …, got …") if the op does not fit its operands.
  void record(Op op);

  [[nodiscard]] const Program& program() const noexcept { return program_; }
  [[nodiscard]] Program take() { return std::move(program_); }

  // Scratch values and views made from here on are named prefix + name, for bisect and receipts.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

 private:
  Value value(Storage storage, Shape shape, Format format, std::string name);

  Program program_;
  std::string prefix_;
};

}  // namespace linnet
