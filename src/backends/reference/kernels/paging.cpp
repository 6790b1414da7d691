#include "backends/reference/kernels/paging.h"

namespace linnet::reference {

Pages::Pages(const Paging& paging, Value cache, Operands& operands)
    : paging_(paging),
      operands_(operands),
      pages_(operands.shape(cache)[0].max),
      heads_(operands.shape(cache)[1].max),
      width_(operands.shape(cache)[3].max),
      pages_a_slot_(operands.shape(paging.page_table)[1].max) {}

size_t Pages::sequences() const {
  return operands_.count(operands_.shape(paging_.sequence_slots)[0]);
}

size_t Pages::first_row(size_t rows) {
  const int32_t first = operands_.integer(paging_.row_starts, 0);
  if (first != 0) operands_.refuse("row_starts", 0, rows == 0 ? 0 : 1, first);
  return 0;
}

size_t Pages::last_row(size_t sequence, size_t begin, size_t rows) {
  const size_t end = operands_.index(paging_.row_starts, "row_starts", sequence + 1, rows + 1);
  if (end < begin) operands_.refuse("row_starts", sequence + 1, rows + 1, static_cast<int64_t>(end));
  return end;
}

size_t Pages::slot(size_t sequence) {
  return operands_.index(paging_.sequence_slots, "sequence_slots", sequence,
                         operands_.shape(paging_.page_table)[0].max);
}

size_t Pages::position(size_t row) {
  return operands_.index(paging_.positions, "positions", row, pages_a_slot_ * kPageTokens);
}

size_t Pages::element(size_t slot, size_t position, size_t head) {
  const size_t entry = slot * pages_a_slot_ + position / kPageTokens;
  const size_t page = operands_.index(paging_.page_table, "page_table", entry, pages_);
  return ((page * heads_ + head) * kPageTokens + position % kPageTokens) * width_;
}

}  // namespace linnet::reference
