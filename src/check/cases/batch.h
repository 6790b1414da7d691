// Ragged batches over a paged cache: what the cases of KvStore, Attention and the first fused stage share.
#pragma once

#include "check/case.h"

namespace linnet {

struct Sequence {
  uint32_t slot;
  uint32_t first;  // position of its first row in this batch
  uint32_t rows;
};

struct Batch {
  uint32_t slots = 4;
  uint32_t pages_a_slot = 3;
  uint32_t capacity = 0;  // rows; 0: as many as there are, without an extent
  std::vector<Sequence> sequences = {};
  uint32_t idle = 0;  // rows behind those of the sequences, which belong to none

  [[nodiscard]] uint32_t rows() const;
  [[nodiscard]] uint32_t pages() const { return slots * pages_a_slot + 1; }
};

struct BatchValues {
  Dim rows;
  Paging paging;
};

// Tables of the batch: pages are dealt to the slots in a shuffled order, none of them page 0.
[[nodiscard]] BatchValues add_batch(CaseBuilder& builder, const Batch& batch);
[[nodiscard]] std::string name_of(const Batch& batch);

// Batches that every op over the cache is tried with.
[[nodiscard]] std::vector<Batch> some_batches();

}  // namespace linnet
