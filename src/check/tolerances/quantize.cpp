#include <algorithm>
#include <cmath>

#include "check/tolerances/rules.h"
#include "format/q8_a.h"

namespace linnet {

// Exact for the same floats. Where x is off, the scale is off with it, and an x near the middle between two
// codes may take either: one whole code of difference for that element, and for no other.
void tolerance_rule(const Quantize& op, Errors& errors) {
  if (errors.exact(op.x)) return;
  constexpr size_t kGroup = Q8ABlock::kElements;
  const std::vector<float> x = errors.numbers(op.x);
  const std::vector<double> x_errors = errors.of(op.x);
  std::vector<double> result(errors.shape(op.out).elements(), 0.0);
  for (size_t begin = 0; begin < errors.active(op.x); begin += kGroup) {
    double largest = 0;
    double largest_error = 0;
    for (size_t i = begin; i < begin + kGroup; ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(x[i])));
      largest_error = std::max(largest_error, x_errors[i]);
    }
    if (largest < static_cast<double>(kQ8ASmallest)) continue;
    const double scale = largest / 127;
    const double scale_error = largest_error / largest + 4 * kUnit;  // relative
    for (size_t i = begin; i < begin + kGroup; ++i) {
      const double code = std::abs(static_cast<double>(x[i])) / scale;
      const double code_error = x_errors[i] / scale + code * scale_error;
      const double to_middle = std::abs(code - std::floor(code) - 0.5);
      const double flips = to_middle <= code_error ? std::ceil(code_error) : 0;
      result[i] = scale * (flips + std::round(code) * scale_error);
    }
  }
  errors.set(op.out, std::move(result));
}

}  // namespace linnet
