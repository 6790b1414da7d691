// Finding a token in the paged cache, with every step through the tables checked.
#pragma once

#include "backends/reference/operands.h"
#include "program/ops/paging.h"

namespace linnet::reference {

class Pages {
 public:
  Pages(const Paging& paging, Value cache, Operands& operands);

  // Calls visit(row, slot, position) for each row of each sequence of the batch.
  template <class Visit>
  void for_each_row(size_t rows, Visit&& visit) {
    size_t row = first_row(rows);
    for (size_t s = 0; s < sequences(); ++s) {
      const size_t end = last_row(s, row, rows);
      for (; row < end; ++row) visit(row, slot(s), position(row));
    }
  }
  // The first element of a token's key or value in a cache.
  [[nodiscard]] size_t element(size_t slot, size_t position, size_t head);

 private:
  [[nodiscard]] size_t sequences() const;
  [[nodiscard]] size_t first_row(size_t rows);
  [[nodiscard]] size_t last_row(size_t sequence, size_t begin, size_t rows);
  [[nodiscard]] size_t slot(size_t sequence);
  [[nodiscard]] size_t position(size_t row);

  const Paging& paging_;
  Operands& operands_;
  size_t pages_;
  size_t heads_;
  size_t width_;
  size_t pages_a_slot_;
};

}  // namespace linnet::reference
