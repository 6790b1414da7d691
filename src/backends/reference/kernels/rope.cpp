#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {

void evaluate(const Rope& op, Operands& operands) {
  const size_t width = operands.width(op.x);
  const size_t pairs = operands.columns(op.angles) / 2;
  const bool adjacent = op.pairs == RopePairs::adjacent;
  for (size_t r = 0; r < operands.rows(op.x); ++r) {
    std::pmr::vector<double> row = operands.row(op.x, r);
    const std::pmr::vector<double> angles = operands.row(op.angles, r);
    for (size_t head = 0; head < row.size(); head += width) {
      for (size_t i = 0; i < pairs; ++i) {
        double& first = row[head + (adjacent ? 2 * i : i)];
        double& second = row[head + (adjacent ? 2 * i + 1 : pairs + i)];
        const double cosine = angles[2 * i];
        const double sine = angles[2 * i + 1];
        const double x = first;
        first = x * cosine - second * sine;
        second = x * sine + second * cosine;
      }
    }
    operands.store_row(op.out, r, row);
  }
}

}  // namespace linnet::reference
