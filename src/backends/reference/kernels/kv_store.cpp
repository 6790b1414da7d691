#include "backends/reference/kernels/kernels.h"
#include "backends/reference/kernels/paging.h"

namespace linnet::reference {

void evaluate(const KvStore& op, Operands& operands) {
  const size_t heads = operands.shape(op.k)[1].max;
  const size_t width = operands.width(op.k);
  Pages pages(op.paging, op.k_cache, operands);
  pages.for_each_row(operands.rows(op.k), [&](size_t row, size_t slot, size_t position) {
    const std::pmr::vector<double> k = operands.row(op.k, row);
    const std::pmr::vector<double> v = operands.row(op.v, row);
    for (size_t head = 0; head < heads; ++head) {
      const size_t element = pages.element(slot, position, head);
      operands.store(op.k_cache, element, std::span(k).subspan(head * width, width));
      operands.store(op.v_cache, element, std::span(v).subspan(head * width, width));
    }
  });
}

}  // namespace linnet::reference
