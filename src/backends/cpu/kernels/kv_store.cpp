#include "backends/cpu/kernels/bind.h"
#include "backends/cpu/paged_cache.h"

namespace linnet::cpu {

BoundKernel bind_kernel(const KvStore& op, const Binder& binder) {
  return
      [k = binder.tensor(op.k), v = binder.tensor(op.v), k_cache = binder.tensor(op.k_cache),
       v_cache = binder.tensor(op.v_cache), batch = paged_batch(op.paging, op.k_cache, binder)](Team& team) {
        const size_t rows = team.count(k.rows);
        team.share(rows, [&](size_t row) {
          const RowPlace place = batch.place(row, team);
          if (!place.valid) return;
          const size_t page = batch.page_of(place, place.position, team);
          for (size_t head = 0; head < k.columns / k.last; ++head) {
            const size_t at = batch.offset(page, head, place.position % kPageTokens);
            encode(k_cache.format, {k.floats(row) + head * k.last, k.last},
                   {k_cache.data + at, batch.token_bytes()});
            encode(v_cache.format, {v.floats(row) + head * v.last, v.last},
                   {v_cache.data + at, batch.token_bytes()});
          }
        });
        return 2 * k.bytes(rows) + 2 * rows * bytes_of(k_cache.format, k.columns);
      };
}

}  // namespace linnet::cpu
