#include "backends/cpu/paged_cache.h"

#include <algorithm>

namespace linnet::cpu {

RowPlace PagedBatch::place(size_t row, Team& team) const noexcept {
  const std::span starts(row_starts_.ints(), team.count(sequences_) + 1);
  // The last sequence that starts at or before the row.
  const auto after = std::upper_bound(starts.begin(), starts.end(), static_cast<int32_t>(row));
  const auto sequence = after - starts.begin() - 1;
  if (after == starts.end()) return {};  // it belongs to none
  if (sequence < 0) {
    team.fail("[paging] row_starts: expected 0 first, got ", starts.front());
    return {};
  }
  const int32_t slot = sequence_slots_.ints()[sequence];
  const int32_t position = positions_.ints()[row];
  if (slot < 0 || static_cast<size_t>(slot) >= slots_) {
    team.fail("[paging] sequence_slots: expected less than ", slots_, ", got ", slot);
    return {};
  }
  if (position < 0 || static_cast<size_t>(position) >= max_tokens()) {
    team.fail("[paging] positions: expected less than ", max_tokens(), ", got ", position);
    return {};
  }
  return {page_table_.ints(static_cast<size_t>(slot)), static_cast<uint32_t>(position), true};
}

size_t PagedBatch::page_of(const RowPlace& place, size_t token, Team& team) const noexcept {
  const int32_t page = place.pages[token / kPageTokens];
  if (page >= 0 && static_cast<size_t>(page) < pages_) return static_cast<size_t>(page);
  team.fail("[paging] page_table: expected less than ", pages_, ", got ", page);
  return 0;
}

PagedBatch paged_batch(const Paging& paging, Value k_cache, const Binder& binder) {
  const Shape& shape = binder.program().shape(k_cache);
  return {paging, binder.tensor(k_cache), shape[0].max, shape[1].max, shape[3].max, binder};
}

}  // namespace linnet::cpu
