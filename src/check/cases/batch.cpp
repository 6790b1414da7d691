#include "check/cases/batch.h"

#include <numeric>

namespace linnet {

uint32_t Batch::rows() const {
  uint32_t rows = idle;
  for (const Sequence& sequence : sequences) rows += sequence.rows;
  return rows;
}

std::string name_of(const Batch& batch) {
  std::string name = "batch";
  for (const Sequence& each : batch.sequences)
    name += concat("_s", each.slot, "p", each.first, "r", each.rows);
  if (batch.idle != 0) name += concat("_idle", batch.idle);
  return batch.capacity == 0 ? name : concat(name, "_of", batch.capacity);
}

BatchValues add_batch(CaseBuilder& builder, const Batch& batch) {
  const uint32_t count = batch.rows();
  const auto sequences = static_cast<uint32_t>(batch.sequences.size());
  const uint32_t most = batch.capacity == 0 ? sequences : sequences + 2;
  const Dim rows = batch.capacity == 0 ? Dim(count) : builder.extent("rows", batch.capacity, count);
  const Dim some = batch.capacity == 0 ? Dim(most) : builder.extent("sequences", most, sequences);

  std::vector<int32_t> positions;
  std::vector<int32_t> starts{0};
  std::vector<int32_t> slots;
  for (const Sequence& sequence : batch.sequences) {
    for (uint32_t r = 0; r < sequence.rows; ++r)
      positions.push_back(static_cast<int32_t>(sequence.first + r));
    starts.push_back(static_cast<int32_t>(positions.size()));
    slots.push_back(static_cast<int32_t>(sequence.slot));
  }
  positions.resize(count, 0);
  // What lies beyond the extents is poison: looking at it is an error or a crash.
  positions.resize(rows.max, 0x7FFFFFFF);
  starts.resize(most + 1, -5);
  slots.resize(most, -7);

  std::vector<int32_t> pages(batch.pages() - 1);
  std::iota(pages.begin(), pages.end(), 1);
  for (size_t i = pages.size(); i > 1; --i) std::swap(pages[i - 1], pages[mixed(42, i) % i]);

  const Value positions_value = builder.input({rows}, Format::i32, "positions", Fill::integers(positions));
  const Value starts_value =
      builder.input({Dim(most + 1)}, Format::i32, "row_starts", Fill::integers(starts));
  const Value slots_value = builder.input({some}, Format::i32, "sequence_slots", Fill::integers(slots));
  const Value table =
      builder.state({batch.slots, batch.pages_a_slot}, Format::i32, "page_table", Fill::integers(pages));
  return {rows, {positions_value, starts_value, slots_value, table}};
}

std::vector<Batch> some_batches() {
  return {
      {.sequences = {{2, 0, 1}}},                                       // the first token
      {.sequences = {{0, 63, 1}}},                                      // the last of a page
      {.sequences = {{3, 64, 1}, {1, 0, 1}, {0, 130, 1}, {2, 17, 1}}},  // decode of four
      {.sequences = {{1, 0, 70}}},                                      // prefill over a page's end
      {.capacity = 9,
       .sequences = {{2, 60, 5}, {0, 7, 1}, {1, 127, 2}}},  // a mixed batch, a chunk over a page's end
      {.capacity = 64, .sequences = {{1, 0, 3}}},           // far fewer rows than capacity
      {.capacity = 32, .sequences = {{0, 0, 17}, {3, 100, 5}, {1, 3, 0}}},  // one sequence without rows
  };
}

}  // namespace linnet
