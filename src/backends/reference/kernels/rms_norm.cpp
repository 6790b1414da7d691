#include <cmath>

#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {

void evaluate(const RmsNorm& op, Operands& operands) {
  const std::pmr::vector<double> weight = operands.row(op.weight, 0);
  const size_t width = weight.size();
  for (size_t r = 0; r < operands.rows(op.x); ++r) {
    std::pmr::vector<double> row = operands.row(op.x, r);
    for (size_t begin = 0; begin < row.size(); begin += width) {
      const std::span<double> x = std::span(row).subspan(begin, width);
      double squares = 0;
      for (const double number : x) squares += number * number;
      const double root = std::sqrt(squares / static_cast<double>(width) + static_cast<double>(op.epsilon));
      for (size_t i = 0; i < width; ++i) x[i] = x[i] / root * weight[i];
    }
    operands.store_row(op.out, r, row);
  }
}

}  // namespace linnet::reference
