// Shapes of values: up to four dimensions, each fixed or bounded by a capacity with an actual count that the
// host passes to every run (an extent).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>

#include "base/checked.h"

namespace linnet {

// A fixed size, or a named extent of the program that is ≤ max.
struct Dim {
  uint32_t max = 0;
  int8_t extent = -1;

  constexpr Dim() = default;
  constexpr Dim(uint32_t size, int8_t named = -1) : max(size), extent(named) {}
  [[nodiscard]] constexpr bool fixed() const noexcept { return extent < 0; }
  friend constexpr bool operator==(const Dim&, const Dim&) = default;
};

class Shape {
 public:
  static constexpr size_t kMaxRank = 4;

  Shape() = default;
  Shape(std::initializer_list<Dim> dims);
  explicit Shape(std::span<const Dim> dims);

  [[nodiscard]] size_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::span<const Dim> dims() const noexcept { return {dims_.data(), rank_}; }
  [[nodiscard]] const Dim& operator[](size_t axis) const { return dims_[axis]; }
  [[nodiscard]] const Dim& back() const { return dims_[rank_ - 1]; }

  // Elements at full capacity.
  [[nodiscard]] size_t elements() const;
  // Every shape is also a matrix: the first dimension's rows of columns() elements; rank 1 is one row when
  // fixed, and one column when its dimension is an extent.
  [[nodiscard]] Dim rows() const noexcept;
  [[nodiscard]] size_t columns() const;

  friend bool operator==(const Shape& a, const Shape& b) noexcept;
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape);

 private:
  std::array<Dim, kMaxRank> dims_{};
  size_t rank_ = 0;
};

}  // namespace linnet
