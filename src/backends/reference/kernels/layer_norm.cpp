#include <cmath>

#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {

void evaluate(const LayerNorm& op, Operands& operands) {
  const size_t width = operands.width(op.x);
  std::pmr::vector<double> weight(width, 1.0, operands.memory());
  std::pmr::vector<double> bias(width, 0.0, operands.memory());
  if (op.weight) operands.load_row(op.weight, 0, weight);
  if (op.bias) operands.load_row(op.bias, 0, bias);
  for (size_t r = 0; r < operands.rows(op.x); ++r) {
    std::pmr::vector<double> row = operands.row(op.x, r);
    for (size_t begin = 0; begin < row.size(); begin += width) {
      const std::span<double> x = std::span(row).subspan(begin, width);
      double mean = 0;
      for (const double number : x) mean += number / static_cast<double>(width);
      double variance = 0;
      for (const double number : x)
        variance += (number - mean) * (number - mean) / static_cast<double>(width);
      const double root = std::sqrt(variance + static_cast<double>(op.epsilon));
      for (size_t i = 0; i < width; ++i) x[i] = (x[i] - mean) / root * weight[i] + bias[i];
    }
    operands.store_row(op.out, r, row);
  }
}

}  // namespace linnet::reference
