#include <algorithm>
#include <cmath>

#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {

void evaluate(const Softmax& op, Operands& operands) {
  const size_t width = operands.width(op.x);
  for (size_t r = 0; r < operands.rows(op.x); ++r) {
    std::pmr::vector<double> row = operands.row(op.x, r);
    for (size_t begin = 0; begin < row.size(); begin += width) {
      const std::span<double> x = std::span(row).subspan(begin, width);
      const double largest = *std::ranges::max_element(x);
      double sum = 0;
      for (double& number : x) sum += number = std::exp(number - largest);
      for (double& number : x) number /= sum;
    }
    operands.store_row(op.out, r, row);
  }
}

}  // namespace linnet::reference
