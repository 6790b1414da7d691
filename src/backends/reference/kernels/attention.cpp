#include <algorithm>
#include <cmath>
#include <numeric>

#include "backends/reference/kernels/kernels.h"
#include "backends/reference/kernels/paging.h"

namespace linnet::reference {

// Two passes for each row and head: scores and their softmax, then the weighted sum of the values.
void evaluate(const Attention& op, Operands& operands) {
  const size_t heads = operands.shape(op.q)[1].max;
  const size_t width = operands.width(op.q);
  const size_t group = heads / operands.shape(op.k_cache)[1].max;
  Pages pages(op.paging, op.k_cache, operands);
  std::pmr::vector<double> token(width, operands.memory());
  pages.for_each_row(operands.rows(op.q), [&](size_t row, size_t slot, size_t position) {
    const std::pmr::vector<double> q = operands.row(op.q, row);
    std::pmr::vector<double> out(heads * width, 0.0, operands.memory());
    std::pmr::vector<double> weights(position + 1, operands.memory());
    for (size_t head = 0; head < heads; ++head) {
      for (size_t p = 0; p <= position; ++p) {
        operands.load(op.k_cache, pages.element(slot, p, head / group), token);
        const double* query = q.data() + head * width;
        weights[p] =
            std::inner_product(token.begin(), token.end(), query, 0.0) * static_cast<double>(op.scale);
      }
      const double largest = *std::ranges::max_element(weights);
      double sum = 0;
      for (double& weight : weights) sum += weight = std::exp(weight - largest);
      for (size_t p = 0; p <= position; ++p) {
        operands.load(op.v_cache, pages.element(slot, p, head / group), token);
        for (size_t i = 0; i < width; ++i) out[head * width + i] += weights[p] / sum * token[i];
      }
    }
    operands.store_row(op.out, row, out);
  });
}

}  // namespace linnet::reference
