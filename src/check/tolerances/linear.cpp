#include <cmath>

#include "check/tolerances/rules.h"

namespace linnet {

// A sum of k products: sum_roundings(k) · Σ|x||w|, and what x brings with it: Σ|w| · error of x. Products of
// integers are exact, so q8_a against q8_0 has fewer roundings, never more.
void tolerance_rule(const Linear& op, Errors& errors) {
  const size_t k = errors.shape(op.weight)[1].max;
  const size_t n = errors.shape(op.weight)[0].max;
  const size_t vectors = errors.active(op.x) / k;
  const std::vector<float> x = errors.numbers(op.x);
  const std::vector<float> weight = errors.numbers(op.weight);
  const std::vector<float> out = errors.numbers(op.out);
  const std::vector<float> bias = op.bias ? errors.numbers(op.bias) : std::vector<float>(n, 0.0f);
  const std::vector<double> x_errors = errors.of(op.x);
  std::vector<double> result(errors.shape(op.out).elements(), 0.0);
  std::vector<double> allowed(k);  // error of the sum per unit of |w|
  for (size_t v = 0; v < vectors; ++v) {
    for (size_t i = 0; i < k; ++i) {
      const double magnitude = std::abs(static_cast<double>(x[v * k + i]));
      allowed[i] = sum_roundings(k) * kUnit * magnitude + x_errors[v * k + i];
    }
    for (size_t column = 0; column < n; ++column) {
      double sum = 0;
      for (size_t i = 0; i < k; ++i)
        sum += allowed[i] * std::abs(static_cast<double>(weight[column * k + i]));
      result[v * n + column] = sum + kUnit * std::abs(static_cast<double>(bias[column])) +
                               errors.storing(op.out) * std::abs(static_cast<double>(out[v * n + column])) +
                               kTiny;
    }
  }
  errors.set(op.out, std::move(result));
}

}  // namespace linnet
