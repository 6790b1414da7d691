#include <cmath>

#include "check/tolerances/rules.h"

namespace linnet {

// One addition, rounded as it is stored.
void tolerance_rule(const Add& op, Errors& errors) {
  const std::vector<float> out = errors.numbers(op.out);
  const std::vector<double> b = errors.of(op.b);
  std::vector<double> result = errors.of(op.a);
  for (size_t i = 0; i < errors.active(op.out); ++i) {
    result[i] += b[i] + errors.storing(op.out) * std::abs(static_cast<double>(out[i]));
  }
  errors.set(op.out, std::move(result));
}

}  // namespace linnet
