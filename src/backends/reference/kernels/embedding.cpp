#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {

void evaluate(const Embedding& op, Operands& operands) {
  for (size_t i = 0; i < operands.rows(op.out); ++i) {
    const size_t entry = operands.index(op.ids, "ids", i, operands.rows(op.table));
    operands.store_row(op.out, i, operands.row(op.table, entry));
  }
}

}  // namespace linnet::reference
