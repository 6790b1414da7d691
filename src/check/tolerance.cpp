#include "check/tolerance.h"

#include <algorithm>
#include <cmath>

#include "check/tolerances/rules.h"

namespace linnet {
namespace {

template <class T>
concept HasRule = requires(const T& op, Errors& errors) {
  tolerance_rule(op, errors);
};

template <class T>
struct RuleOf {
  static_assert(Fused<T> || HasRule<T>, "this primitive op has no tolerance_rule() in check/tolerances");
};

}  // namespace

double unit_roundoff(Format format) noexcept {
  switch (format) {
    case Format::f16:
      return 0x1p-11;
    case Format::bf16:
      return 0x1p-8;
    default:
      return kUnit;
  }
}

double sum_roundings(size_t k) noexcept {
  return 4 + std::sqrt(static_cast<double>(k)) / 2;
}

std::vector<double> Errors::of(Value value) const {
  const Shape& own = shape(value);
  std::vector<double> result(own.elements(), 0.0);
  const auto found = errors_.find(program_.base(value).id);
  if (found == errors_.end()) return result;
  const size_t columns = own.columns();
  const size_t stride = program_.row_stride(value);
  const size_t offset = program_.info(value).view.offset;
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = found->second[i / columns * stride + offset + i % columns];
  }
  return result;
}

void Errors::set(Value value, std::vector<double> errors) {
  if (program_.base(value) == value) {
    errors_[value.id] = std::move(errors);
    return;
  }
  std::vector<double>& base = errors_[program_.base(value).id];
  base.resize(shape(program_.base(value)).elements(), 0.0);
  const size_t columns = shape(value).columns();
  const size_t stride = program_.row_stride(value);
  const size_t offset = program_.info(value).view.offset;
  for (size_t i = 0; i < errors.size(); ++i) base[i / columns * stride + offset + i % columns] = errors[i];
}

void follow(const Program& program, Errors& errors) {
  for (const Op& op : program.ops) {
    std::visit(
        [&]<class T>(const T& each) {
          static_cast<void>(RuleOf<T>{});
          if constexpr (Fused<T>) {
            fail(ErrorKind::failure, "[tolerance] ", T::kName, ": expected a program of primitives");
          } else {
            tolerance_rule(each, errors);
          }
        },
        op);
  }
}

}  // namespace linnet
