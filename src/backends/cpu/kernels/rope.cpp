#include "backends/cpu/kernels/bind.h"
#include "backends/cpu/kernels/rotate.h"

namespace linnet::cpu {

BoundKernel bind_kernel(const Rope& op, const Binder& binder) {
  return [x = binder.tensor(op.x), angles = binder.tensor(op.angles), pairs = op.pairs,
          out = binder.tensor(op.out)](Team& team) {
    const size_t rows = team.count(x.rows);
    team.share(rows, [&](size_t row) {
      for (size_t head = 0; head < x.columns; head += x.last) {
        rotate_head(x.floats(row) + head, angles.floats(row), angles.columns / 2, pairs, x.last,
                    out.floats(row) + head);
      }
    });
    return x.bytes(rows) + out.bytes(rows) + angles.bytes(rows);
  };
}

}  // namespace linnet::cpu
