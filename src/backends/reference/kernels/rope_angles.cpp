#include <cmath>

#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {

void evaluate(const RopeAngles& op, Operands& operands) {
  const size_t pairs = operands.rows(op.frequencies);
  std::pmr::vector<double> angles(2 * pairs, operands.memory());
  for (size_t r = 0; r < operands.rows(op.out); ++r) {
    const double position = operands.integer(op.positions, r);
    for (size_t i = 0; i < pairs; ++i) {
      double parts[2];
      operands.load_row(op.frequencies, i, parts);
      const double angle = position * (parts[0] + parts[1]);
      angles[2 * i] = std::cos(angle);
      angles[2 * i + 1] = std::sin(angle);
    }
    operands.store_row(op.out, r, angles);
  }
}

}  // namespace linnet::reference
