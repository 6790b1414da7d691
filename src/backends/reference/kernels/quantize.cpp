#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {

// Storing rounds to float and encodes by format/q8_a.h, whose bits are this op's definition.
void evaluate(const Quantize& op, Operands& operands) {
  for (size_t r = 0; r < operands.rows(op.x); ++r) operands.store_row(op.out, r, operands.row(op.x, r));
}

}  // namespace linnet::reference
