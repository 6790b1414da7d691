// Where the keys and values of a batch's rows lie: reads the tables of program/ops/paging.h, with every index
// checked.
#pragma once

#include <cstdint>
#include <span>

#include "backends/cpu/tensor.h"
#include "program/ops/paging.h"

namespace linnet::cpu {

// A row of the batch: which sequence it is of and where it stands in it.
struct RowPlace {
  const int32_t* pages = nullptr;  // the slot's row of the page table
  uint32_t position = 0;
  bool valid = false;
};

class PagedBatch {
 public:
  PagedBatch(const Paging& paging, const Tensor& k_cache, size_t pages, size_t kv_heads, size_t width,
             const Binder& binder)
      : positions_(binder.tensor(paging.positions)),
        row_starts_(binder.tensor(paging.row_starts)),
        sequence_slots_(binder.tensor(paging.sequence_slots)),
        sequences_(binder.program().shape(paging.sequence_slots)[0]),
        page_table_(binder.tensor(paging.page_table)),
        slots_(binder.program().shape(paging.page_table)[0].max),
        pages_(pages),
        token_bytes_(bytes_of(k_cache.format, width)),
        head_bytes_(kPageTokens * token_bytes_),
        page_bytes_(kv_heads * head_bytes_) {}

  // An invalid place for a row of no sequence; where the tables do not make sense the run fails as well.
  [[nodiscard]] RowPlace place(size_t row, Team& team) const noexcept;
  // The page of a token, checked against the cache; 0 (nobody's page) if the table is wrong.
  [[nodiscard]] size_t page_of(const RowPlace& place, size_t token, Team& team) const noexcept;
  [[nodiscard]] size_t max_tokens() const noexcept { return page_table_.columns * kPageTokens; }
  // Bytes from the start of a cache to a token of a head.
  [[nodiscard]] size_t offset(size_t page, size_t kv_head, size_t token_in_page) const noexcept {
    return page * page_bytes_ + kv_head * head_bytes_ + token_in_page * token_bytes_;
  }
  [[nodiscard]] size_t token_bytes() const noexcept { return token_bytes_; }

 private:
  Tensor positions_;
  Tensor row_starts_;
  Tensor sequence_slots_;
  Dim sequences_;
  Tensor page_table_;
  size_t slots_;
  size_t pages_;
  size_t token_bytes_;
  size_t head_bytes_;
  size_t page_bytes_;
};

// The batch of an op that has caches.
[[nodiscard]] PagedBatch paged_batch(const Paging& paging, Value k_cache, const Binder& binder);

}  // namespace linnet::cpu
