#include "program/checks.h"

#include <algorithm>

namespace linnet {

const ValueInfo& OperandCheck::present(Value value, std::string_view name) const {
  if (!value || value.id >= program_.values.size()) {
    fail(ErrorKind::failure, "[", op_, "] ", name, ": expected a value, got none");
  }
  return program_.info(value);
}

void OperandCheck::shape(Value value, std::string_view name, const Shape& expected) const {
  const Shape& got = present(value, name).shape;
  if (!(got == expected))
    fail(ErrorKind::failure, "[", op_, "] ", name, ": expected ", expected, ", got ", got);
}

void OperandCheck::rank(Value value, std::string_view name, size_t expected) const {
  const Shape& got = present(value, name).shape;
  if (got.rank() != expected) {
    fail(ErrorKind::failure, "[", op_, "] ", name, ": expected ", expected, " dimensions, got ", got);
  }
}

void OperandCheck::format(Value value, std::string_view name, std::initializer_list<Format> allowed) const {
  const Format got = present(value, name).format;
  const bool deferred = got == Format::compute || got == Format::kv;
  if (std::ranges::find(allowed, deferred ? Format::f32 : got) != allowed.end()) return;
  std::string list;
  for (const Format each : allowed) list += concat(list.empty() ? "" : " or ", each);
  fail(ErrorKind::failure, "[", op_, "] ", name, ": expected ", list, ", got ", got);
}

void OperandCheck::vector(Value value, std::string_view name, Dim size) const {
  shape(value, name, {size});
  format(value, name, {Format::f32});
}

void OperandCheck::writable(Value value, std::string_view name) const {
  const Storage storage = present(value, name).storage;
  if (storage == Storage::weight || storage == Storage::input) {
    fail(ErrorKind::failure, "[", op_, "] ", name, ": expected a value that a run may write, got a ",
         storage == Storage::weight ? "weight" : "input");
  }
}

void OperandCheck::require(bool condition, std::string_view name, const std::string& expected,
                           const std::string& got) const {
  if (!condition) fail(ErrorKind::failure, "[", op_, "] ", name, ": expected ", expected, ", got ", got);
}

Dim columns_of(const Program& program, Value value) {
  return {static_cast<uint32_t>(program.shape(value).columns())};
}

Shape with_last(const Shape& shape, Dim last) {
  std::array<Dim, Shape::kMaxRank> dims{};
  std::ranges::copy(shape.dims(), dims.begin());
  dims[shape.rank() - 1] = last;
  return Shape(std::span<const Dim>(dims.data(), shape.rank()));
}

}  // namespace linnet
