// What the ops' check() functions share: messages of the form "[op] operand: expected …, got …".
#pragma once

#include <initializer_list>
#include <string_view>

#include "program/program.h"

namespace linnet {

// Looks at the operands of one op and throws Error(failure) at the first that does not fit.
class OperandCheck {
 public:
  OperandCheck(const Program& program, std::string_view op) : program_(program), op_(op) {}

  // Present and known to the program.
  const ValueInfo& present(Value value, std::string_view name) const;
  void shape(Value value, std::string_view name, const Shape& expected) const;
  // Same shape as another operand.
  void like(Value value, std::string_view name, Value other) const {
    shape(value, name, program_.shape(other));
  }
  void rank(Value value, std::string_view name, size_t expected) const;
  // One of the formats; compute and kv always pass where f32 does: they are resolved to a plain format later.
  void format(Value value, std::string_view name, std::initializer_list<Format> allowed) const;
  void number(Value value, std::string_view name) const {
    format(value, name, {Format::f32, Format::f16, Format::bf16});
  }
  // A plain vector of `size` numbers of type f32: norms' weights, biases.
  void vector(Value value, std::string_view name, Dim size) const;
  // Not a weight and not an input: something a run may write.
  void writable(Value value, std::string_view name) const;
  void require(bool condition, std::string_view name, const std::string& expected,
               const std::string& got) const;

  [[nodiscard]] const Program& program() const noexcept { return program_; }

 private:
  const Program& program_;
  std::string_view op_;
};

// Columns of a value as a dimension: the product of all dimensions but the first.
[[nodiscard]] Dim columns_of(const Program& program, Value value);
// `shape` with its last dimension replaced.
[[nodiscard]] Shape with_last(const Shape& shape, Dim last);

}  // namespace linnet
