#include <algorithm>
#include <cmath>

#include "check/tolerances/rules.h"

namespace linnet {

// The mean is a sum of k terms, so x − mean is off by roundings of the mean magnitude of x: large when x lies
// far from zero. The deviation is then taken of what was centred (never E[x²] − mean², which would lose it),
// so its relative error is that of a sum of squares and the largest error of what was centred.
void tolerance_rule(const LayerNorm& op, Errors& errors) {
  const size_t width = errors.width(op.x);
  const auto count = static_cast<double>(width);
  const std::vector<float> x = errors.numbers(op.x);
  const std::vector<float> out = errors.numbers(op.out);
  const std::vector<float> weight = op.weight ? errors.numbers(op.weight) : std::vector<float>(width, 1.0f);
  const std::vector<float> bias = op.bias ? errors.numbers(op.bias) : std::vector<float>(width, 0.0f);
  const std::vector<double> x_errors = errors.of(op.x);
  std::vector<double> result(errors.shape(op.out).elements(), 0.0);
  std::vector<double> centred(width);  // error of x − mean
  for (size_t begin = 0; begin < errors.active(op.x); begin += width) {
    double mean = 0;
    double mean_magnitude = 0;
    double mean_error = 0;
    for (size_t i = begin; i < begin + width; ++i) {
      mean += static_cast<double>(x[i]) / count;
      mean_magnitude += std::abs(static_cast<double>(x[i])) / count;
      mean_error += x_errors[i] / count;
    }
    mean_error += sum_roundings(width) * kUnit * mean_magnitude;
    double variance = 0;
    for (size_t i = 0; i < width; ++i) {
      const double difference = static_cast<double>(x[begin + i]) - mean;
      variance += difference * difference / count;
      centred[i] = x_errors[begin + i] + mean_error + kUnit * std::abs(difference);
    }
    const double root = std::sqrt(variance + static_cast<double>(op.epsilon));
    if (root == 0) continue;
    const double relative =
        (sum_roundings(width) / 2 + 4) * kUnit + *std::ranges::max_element(centred) / root;
    for (size_t i = 0; i < width; ++i) {
      const double normed = std::abs(static_cast<double>(x[begin + i]) - mean) / root;
      const double scale = std::abs(static_cast<double>(weight[i]));
      result[begin + i] = scale * (centred[i] / root + normed * relative) +
                          kUnit * std::abs(static_cast<double>(bias[i])) +
                          errors.storing(op.out) * std::abs(static_cast<double>(out[begin + i])) + kTiny;
    }
  }
  errors.set(op.out, std::move(result));
}

}  // namespace linnet
