#include "program/shape.h"

#include <algorithm>
#include <ostream>

namespace linnet {

Shape::Shape(std::initializer_list<Dim> dims) : Shape(std::span<const Dim>(dims.begin(), dims.size())) {}

Shape::Shape(std::span<const Dim> dims) : rank_(dims.size()) {
  if (rank_ > kMaxRank)
    fail(ErrorKind::failure, "[shape] rank: expected at most ", kMaxRank, ", got ", rank_);
  std::copy(dims.begin(), dims.end(), dims_.begin());
}

size_t Shape::elements() const {
  size_t product = 1;
  for (const Dim& dim : dims()) product = size_product(product, dim.max);
  return product;
}

Dim Shape::rows() const noexcept {
  if (rank_ == 0 || (rank_ == 1 && dims_[0].fixed())) return {1};
  return dims_[0];
}

size_t Shape::columns() const {
  if (rank_ == 1 && dims_[0].fixed()) return dims_[0].max;
  size_t product = 1;
  for (size_t axis = 1; axis < rank_; ++axis) product = size_product(product, dims_[axis].max);
  return product;
}

bool operator==(const Shape& a, const Shape& b) noexcept {
  return std::ranges::equal(a.dims(), b.dims());
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '[';
  for (size_t axis = 0; axis < shape.rank(); ++axis) {
    if (axis != 0) out << ", ";
    if (!shape[axis].fixed()) out << "≤";
    out << shape[axis].max;
  }
  return out << ']';
}

}  // namespace linnet
