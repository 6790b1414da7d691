#include <algorithm>

#include "backends/cpu/kernels/bind.h"

namespace linnet::cpu {

BoundKernel bind_kernel(const Embedding& op, const Binder& binder) {
  const bool gathers = binder.program().info(op.table).storage != Storage::weight;
  return [weight = gathers ? nullptr : &binder.weight(op.table),
          table = gathers ? binder.tensor(op.table) : Tensor{}, entries = binder.program().shape(op.table)[0],
          ids = binder.tensor(op.ids), out = binder.tensor(op.out)](Team& team) -> uint64_t {
    const size_t rows = team.count(out.rows);
    const auto limit = static_cast<int64_t>(team.count(entries));
    team.share(rows, [&](size_t row) {
      const int32_t id = ids.ints()[row];
      const std::span<float> to(out.floats(row), out.columns);
      if (id < 0 || id >= limit) {
        team.fail("[embedding] ids: expected less than ", limit, ", got ", id, " in row ", row);
        std::ranges::fill(to, 0.0f);
      } else if (weight != nullptr) {
        weight->decode_row(static_cast<size_t>(id), to);
      } else {
        std::copy_n(table.floats(static_cast<size_t>(id)), to.size(), to.data());
      }
    });
    const size_t row_bytes = weight != nullptr ? bytes_of(weight->format(), out.columns) : table.bytes(1);
    return rows * (row_bytes + sizeof(int32_t)) + out.bytes(rows);
  };
}

}  // namespace linnet::cpu
