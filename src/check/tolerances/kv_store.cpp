#include <cmath>
#include <limits>

#include "check/tolerances/paging.h"
#include "check/tolerances/rules.h"

namespace linnet {
namespace {

void store(const KvStore& op, Value from, Value cache, Errors& errors) {
  const PagedRows rows(op.paging, cache, errors);
  const size_t heads = errors.shape(from)[1].max;
  const size_t width = errors.width(from);
  const std::vector<float> numbers = errors.numbers(cache);
  const std::vector<double> from_errors = errors.of(from);
  std::vector<double> result = errors.of(cache);
  rows.for_each([&](size_t row, size_t slot, size_t position) {
    for (size_t i = 0; i < heads * width; ++i) {
      const size_t element = rows.element(slot, position, i / width) + i % width;
      const double error = from_errors[row * heads * width + i];
      // Page 0 is nobody's: who writes there last is not defined.
      if (rows.page(slot, position) == 0) {
        result[element] = std::numeric_limits<double>::infinity();
      } else {
        result[element] =
            error == 0 ? 0 : error + errors.storing(cache) * std::abs(static_cast<double>(numbers[element]));
      }
    }
  });
  errors.set(cache, std::move(result));
}

}  // namespace

// Exact after the rounding of the cache's format, which is defined to the bit. What no row stores keeps its
// value.
void tolerance_rule(const KvStore& op, Errors& errors) {
  store(op, op.k, op.k_cache, errors);
  store(op, op.v, op.v_cache, errors);
}

}  // namespace linnet
