// How far a device's results may lie from the reference: what rounding alone explains, element by element.
//
// A rule per primitive op (tolerances/<op>.cpp) gives the error of its outputs from its operands, the errors
// they already have and the roundings of a kernel that computes in f32. A fused op has no rule: the errors go
// through its expansion, which is its meaning. Sums of k terms are allowed (4 + sqrt(k) / 2) roundings of
// Σ|term|: the probabilistic bound of Higham & Mary ("A new approach to probabilistic rounding error
// analysis", 2019) for four sums side by side, the fewest that any kernel uses, and a few roundings for the
// terms. A product that is left out or doubled is far outside.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "program/program.h"

namespace linnet {

// Unit roundoff of a number format: |rounded − exact| ≤ unit · |exact|.
[[nodiscard]] double unit_roundoff(Format format) noexcept;
inline constexpr double kUnit = 0x1p-24;  // of f32, in which every kernel accumulates
// Results below the smallest normal f32 may be flushed to zero on their way.
inline constexpr double kTiny = 0x1p-120;
// Roundings that a sum of k terms may show, of Σ|term|.
[[nodiscard]] double sum_roundings(size_t k) noexcept;

// Errors of values while they are followed through a program; an exact value has none.
class Errors {
 public:
  using NumbersOf = std::function<std::vector<float>(Value)>;

  // `numbers` gives what the reference has for a value of the program after its run, at full capacity.
  Errors(const Program& program, std::span<const uint32_t> extents, NumbersOf numbers)
      : program_(program), extents_(extents), numbers_(std::move(numbers)) {}

  [[nodiscard]] const Program& program() const noexcept { return program_; }
  [[nodiscard]] const Shape& shape(Value value) const { return program_.shape(value); }
  [[nodiscard]] std::vector<float> numbers(Value value) const { return numbers_(value); }
  [[nodiscard]] size_t count(Dim dim) const { return dim.fixed() ? dim.max : extents_[dim.extent]; }
  // Elements in the rows of this run.
  [[nodiscard]] size_t active(Value value) const {
    return count(shape(value).rows()) * shape(value).columns();
  }
  // Of each row, the numbers along the last dimension.
  [[nodiscard]] size_t width(Value value) const { return shape(value).back().max; }
  // What storing costs: a rounding here and one in the reference.
  [[nodiscard]] double storing(Value value) const { return 2 * unit_roundoff(program_.format(value)); }

  // At full capacity, zeros if the value is exact.
  [[nodiscard]] std::vector<double> of(Value value) const;
  [[nodiscard]] bool exact(Value value) const { return !errors_.contains(program_.base(value).id); }
  void set(Value value, std::vector<double> errors);

 private:
  const Program& program_;
  std::span<const uint32_t> extents_;
  NumbersOf numbers_;
  std::map<uint32_t, std::vector<double>> errors_;  // by base
};

// Follows all ops of a program of primitives.
void follow(const Program& program, Errors& errors);

}  // namespace linnet
