#include <algorithm>

#include "check/tolerances/rules.h"

namespace linnet {

// Decoding and rounding to the output's format are defined to the bit: a looked-up row is exact if the table
// is.
void tolerance_rule(const Embedding& op, Errors& errors) {
  if (errors.exact(op.table)) return;
  const std::vector<float> ids = errors.numbers(op.ids);
  const std::vector<float> out = errors.numbers(op.out);
  const std::vector<double> table = errors.of(op.table);
  std::vector<double> result(errors.shape(op.out).elements(), 0.0);
  const size_t width = errors.width(op.out);
  for (size_t i = 0; i < errors.active(op.out); ++i) {
    const size_t element = static_cast<size_t>(ids[i / width]) * width + i % width;
    result[i] = table[element] + errors.storing(op.out) * std::abs(static_cast<double>(out[i]));
  }
  errors.set(op.out, std::move(result));
}

}  // namespace linnet
