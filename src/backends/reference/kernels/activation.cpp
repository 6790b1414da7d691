#include "backends/reference/kernels/activation.h"

#include <cmath>
#include <numbers>

#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {

double activate(ActivationKind kind, double x) {
  switch (kind) {
    case ActivationKind::silu:
      return x / (1 + std::exp(-x));
    case ActivationKind::gelu:
      return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
    case ActivationKind::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  }
  return 0;
}

void evaluate(const Activation& op, Operands& operands) {
  for (size_t r = 0; r < operands.rows(op.x); ++r) {
    std::pmr::vector<double> row = operands.row(op.x, r);
    for (double& x : row) x = activate(op.kind, x);
    operands.store_row(op.out, r, row);
  }
}

}  // namespace linnet::reference
