#include "backends/reference/kernels/activation.h"
#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {

void evaluate(const GatedActivation& op, Operands& operands) {
  const size_t width = operands.columns(op.out);
  for (size_t r = 0; r < operands.rows(op.x); ++r) {
    std::pmr::vector<double> row = operands.row(op.x, r);
    for (size_t i = 0; i < width; ++i) row[i] = activate(op.kind, row[i]) * row[width + i];
    operands.store_row(op.out, r, std::span(row).first(width));
  }
}

}  // namespace linnet::reference
