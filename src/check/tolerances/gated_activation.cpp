#include <cmath>

#include "check/tolerances/activation.h"
#include "check/tolerances/rules.h"

namespace linnet {

// A product: the error of each factor times the other, and of both together.
void tolerance_rule(const GatedActivation& op, Errors& errors) {
  const size_t width = errors.width(op.out);
  const std::vector<float> x = errors.numbers(op.x);
  const std::vector<float> out = errors.numbers(op.out);
  const std::vector<double> x_errors = errors.of(op.x);
  std::vector<double> result(errors.shape(op.out).elements(), 0.0);
  for (size_t i = 0; i < errors.active(op.out); ++i) {
    const size_t gate = i / width * 2 * width + i % width;
    const auto gate_value = static_cast<double>(x[gate]);
    const double gate_error = activation_error(op.kind, gate_value, x_errors[gate]);
    const double factor = std::abs(static_cast<double>(x[gate + width])) + x_errors[gate + width];
    result[i] = gate_error * factor + activation_magnitude(op.kind, gate_value) * x_errors[gate + width] +
                (errors.storing(op.out) + kUnit) * std::abs(static_cast<double>(out[i])) + kTiny;
  }
  errors.set(op.out, std::move(result));
}

}  // namespace linnet
