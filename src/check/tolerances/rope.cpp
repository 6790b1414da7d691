#include <cmath>

#include "check/tolerances/rules.h"

namespace linnet {

// Two products and a sum for each element of a pair; the rest of a head is copied, exact if x is.
void tolerance_rule(const Rope& op, Errors& errors) {
  const size_t width = errors.width(op.x);
  const size_t heads = errors.shape(op.x)[1].max;
  const size_t pairs = errors.shape(op.angles)[1].max;
  const bool adjacent = op.pairs == RopePairs::adjacent;
  const std::vector<float> x = errors.numbers(op.x);
  const std::vector<float> angles = errors.numbers(op.angles);
  const std::vector<float> out = errors.numbers(op.out);
  const std::vector<double> x_errors = errors.of(op.x);
  const std::vector<double> angle_errors = errors.of(op.angles);
  std::vector<double> result = x_errors;
  for (size_t i = 0; i < errors.active(op.x); ++i) {
    if (result[i] > 0) result[i] += errors.storing(op.out) * std::abs(static_cast<double>(out[i]));
  }
  const auto magnitude = [](float number) { return std::abs(static_cast<double>(number)); };
  for (size_t head = 0; head < errors.active(op.x) / width; ++head) {
    for (size_t i = 0; i < pairs; ++i) {
      const size_t first = head * width + (adjacent ? 2 * i : i);
      const size_t second = head * width + (adjacent ? 2 * i + 1 : pairs + i);
      const size_t angle = (head / heads * pairs + i) * 2;
      const double cosine = magnitude(angles[angle]);
      const double sine = magnitude(angles[angle + 1]);
      const auto turned = [&](size_t element, double by_first, double by_second) {
        return by_first * x_errors[first] + by_second * x_errors[second] +
               magnitude(x[first]) * (3 * kUnit * by_first + angle_errors[angle] + angle_errors[angle + 1]) +
               magnitude(x[second]) *
                   (3 * kUnit * by_second + angle_errors[angle] + angle_errors[angle + 1]) +
               errors.storing(op.out) * magnitude(out[element]) + kTiny;
      };
      result[first] = turned(first, cosine, sine);
      result[second] = turned(second, sine, cosine);
    }
  }
  errors.set(op.out, std::move(result));
}

}  // namespace linnet
