#include <numeric>

#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {
namespace {

// Eight sums side by side, so that the compiler can use vectors without reordering anything.
double dot(const double* a, const double* b, size_t size) {
  constexpr size_t kLanes = 8;
  double sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < size; ++i) sums[0] += a[i] * b[i];
  return std::accumulate(sums, sums + kLanes, 0.0);
}

}  // namespace

// Every weight row is decoded once and multiplied with all rows of x.
void evaluate(const Linear& op, Operands& operands) {
  const size_t rows = operands.rows(op.x);
  const size_t k = operands.columns(op.weight);
  const size_t n = operands.rows(op.weight);
  const size_t vectors = operands.columns(op.x) / k;  // of each row: 1 unless x has three dimensions or more
  std::pmr::vector<double> x(rows * vectors * k, operands.memory());
  for (size_t r = 0; r < rows; ++r)
    operands.load_row(op.x, r, std::span(x).subspan(r * vectors * k, vectors * k));
  std::pmr::vector<double> bias(n, 0.0, operands.memory());
  if (op.bias) operands.load_row(op.bias, 0, bias);

  std::pmr::vector<double> out(rows * vectors * n, operands.memory());
  std::pmr::vector<double> weight(k, operands.memory());
  for (size_t column = 0; column < n; ++column) {
    operands.load_row(op.weight, column, weight);
    for (size_t v = 0; v < rows * vectors; ++v) {
      out[v * n + column] = dot(x.data() + v * k, weight.data(), k) + bias[column];
    }
  }
  for (size_t r = 0; r < rows; ++r) {
    operands.store_row(op.out, r, std::span(out).subspan(r * vectors * n, vectors * n));
  }
}

}  // namespace linnet::reference
