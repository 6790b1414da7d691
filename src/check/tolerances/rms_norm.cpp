#include <cmath>

#include "check/tolerances/rules.h"

namespace linnet {

// With r = 1 / sqrt(mean(x²) + ε): the sum of k squares has a relative error of sum_roundings(k), its root
// half of that; the rest is four multiplications. An error of x counts by itself and through r: |r'| ≤ r ·
// Σ|x|·error / Σx².
void tolerance_rule(const RmsNorm& op, Errors& errors) {
  const size_t width = errors.width(op.x);
  const std::vector<float> x = errors.numbers(op.x);
  const std::vector<float> weight = errors.numbers(op.weight);
  const std::vector<double> x_errors = errors.of(op.x);
  std::vector<double> result(errors.shape(op.out).elements(), 0.0);
  const double relative = (sum_roundings(width) / 2 + 4) * kUnit + errors.storing(op.out);
  for (size_t begin = 0; begin < errors.active(op.x); begin += width) {
    double squares = static_cast<double>(op.epsilon) * static_cast<double>(width);
    double moved = 0;
    for (size_t i = begin; i < begin + width; ++i) {
      const double magnitude = std::abs(static_cast<double>(x[i]));
      squares += magnitude * magnitude;
      moved += magnitude * x_errors[i];
    }
    if (squares == 0) continue;
    const double r = 1 / std::sqrt(squares / static_cast<double>(width));
    for (size_t i = begin; i < begin + width; ++i) {
      const double magnitude = std::abs(static_cast<double>(x[i]));
      const double scale = r * std::abs(static_cast<double>(weight[i - begin]));
      result[i] = scale * (magnitude * (relative + moved / squares) + x_errors[i]) + kTiny;
    }
  }
  errors.set(op.out, std::move(result));
}

}  // namespace linnet
