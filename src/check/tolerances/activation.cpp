#include "check/tolerances/activation.h"

#include <cmath>

#include "check/tolerances/rules.h"

namespace linnet {

double activation_magnitude(ActivationKind kind, double x) {
  // The two gelus differ by 1e-3 at most, which matters not for a magnitude.
  return kind == ActivationKind::silu ? std::abs(x / (1 + std::exp(-x)))
                                      : std::abs(x * 0.5 * std::erfc(-x / std::sqrt(2.0)));
}

double activation_error(ActivationKind kind, double x, double error) {
  constexpr double kSteepest = 1.13;  // of all three
  // silu: the argument of exp is exact, but kernels reduce it, which costs |x| roundings; exp, sum and
  // quotient a few. gelu: 1 + erf or 1 + tanh has an absolute error of a few roundings, whatever is left of
  // it.
  const double own =
      kind == ActivationKind::silu ? (8 + std::abs(x)) * activation_magnitude(kind, x) : 12 * std::abs(x);
  return own * kUnit + kSteepest * error + kTiny;
}

void tolerance_rule(const Activation& op, Errors& errors) {
  const std::vector<float> x = errors.numbers(op.x);
  const std::vector<float> out = errors.numbers(op.out);
  std::vector<double> result = errors.of(op.x);
  for (size_t i = 0; i < errors.active(op.out); ++i) {
    result[i] = activation_error(op.kind, static_cast<double>(x[i]), result[i]) +
                errors.storing(op.out) * std::abs(static_cast<double>(out[i]));
  }
  errors.set(op.out, std::move(result));
}

}  // namespace linnet
