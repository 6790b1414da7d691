#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {

void evaluate(const Add& op, Operands& operands) {
  for (size_t r = 0; r < operands.rows(op.out); ++r) {
    std::pmr::vector<double> sum = operands.row(op.a, r);
    const std::pmr::vector<double> b = operands.row(op.b, r);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += b[i];
    operands.store_row(op.out, r, sum);
  }
}

}  // namespace linnet::reference
