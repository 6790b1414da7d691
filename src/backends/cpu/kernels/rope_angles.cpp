#include <cmath>

#include "backends/cpu/kernels/bind.h"

namespace linnet::cpu {

BoundKernel bind_kernel(const RopeAngles& op, const Binder& binder) {
  return [positions = binder.tensor(op.positions), frequencies = binder.tensor(op.frequencies),
          out = binder.tensor(op.out)](Team& team) {
    const size_t rows = team.count(out.rows);
    team.share(rows, [&](size_t row) {
      const double position = positions.ints()[row];
      for (size_t i = 0; i < out.columns / 2; ++i) {
        const float* frequency = frequencies.floats(i);
        const double angle = position * (double{frequency[0]} + double{frequency[1]});
        out.floats(row)[2 * i] = static_cast<float>(std::cos(angle));
        out.floats(row)[2 * i + 1] = static_cast<float>(std::sin(angle));
      }
    });
    return out.bytes(rows) + rows * sizeof(int32_t);
  };
}

}  // namespace linnet::cpu
