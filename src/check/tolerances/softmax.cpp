#include <algorithm>
#include <cmath>

#include "check/tolerances/rules.h"

namespace linnet {

// exp turns the absolute error of its argument, a rounding of x − max, into a relative one; exp itself is
// good to a few roundings and the sum to sum_roundings(k).
void tolerance_rule(const Softmax& op, Errors& errors) {
  const size_t width = errors.width(op.x);
  const std::vector<float> x = errors.numbers(op.x);
  const std::vector<float> out = errors.numbers(op.out);
  const std::vector<double> x_errors = errors.of(op.x);
  std::vector<double> result(errors.shape(op.out).elements(), 0.0);
  for (size_t begin = 0; begin < errors.active(op.x); begin += width) {
    const double largest = *std::max_element(x.begin() + static_cast<ptrdiff_t>(begin),
                                             x.begin() + static_cast<ptrdiff_t>(begin + width));
    double moved = 0;  // of the sum, relative
    for (size_t i = begin; i < begin + width; ++i) {
      const double p = static_cast<double>(out[i]);
      if (p > 0) moved += p * (x_errors[i] + kUnit * (largest - static_cast<double>(x[i])));
    }
    for (size_t i = begin; i < begin + width; ++i) {
      const double p = static_cast<double>(out[i]);
      if (p == 0) {
        result[i] = kTiny;
        continue;
      }
      const double argument = x_errors[i] + kUnit * (largest - static_cast<double>(x[i]));
      result[i] =
          p * (argument + moved + (sum_roundings(width) + 6) * kUnit + errors.storing(op.out)) + kTiny;
    }
  }
  errors.set(op.out, std::move(result));
}

}  // namespace linnet
