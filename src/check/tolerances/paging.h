// Where the rows of a batch lie in the paged cache, for the rules of KvStore and Attention.
#pragma once

#include "check/tolerance.h"
#include "program/ops/paging.h"

namespace linnet {

class PagedRows {
 public:
  PagedRows(const Paging& paging, Value cache, const Errors& errors)
      : positions_(errors.numbers(paging.positions)),
        row_starts_(errors.numbers(paging.row_starts)),
        slots_(errors.numbers(paging.sequence_slots)),
        table_(errors.numbers(paging.page_table)),
        sequences_(errors.count(errors.shape(paging.sequence_slots)[0])),
        pages_a_slot_(errors.shape(paging.page_table)[1].max),
        heads_(errors.shape(cache)[1].max),
        width_(errors.shape(cache)[3].max) {}

  // Calls visit(row, slot, position).
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (size_t s = 0; s < sequences_; ++s) {
      for (auto row = static_cast<size_t>(row_starts_[s]); row < static_cast<size_t>(row_starts_[s + 1]);
           ++row) {
        visit(row, static_cast<size_t>(slots_[s]), static_cast<size_t>(positions_[row]));
      }
    }
  }
  [[nodiscard]] size_t page(size_t slot, size_t position) const {
    return static_cast<size_t>(table_[slot * pages_a_slot_ + position / kPageTokens]);
  }
  [[nodiscard]] size_t element(size_t slot, size_t position, size_t head) const {
    return ((page(slot, position) * heads_ + head) * kPageTokens + position % kPageTokens) * width_;
  }

 private:
  std::vector<float> positions_, row_starts_, slots_, table_;
  size_t sequences_, pages_a_slot_, heads_, width_;
};

}  // namespace linnet
