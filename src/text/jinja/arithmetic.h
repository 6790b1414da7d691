// Python's arithmetic operators on values.
#pragma once

#include "text/jinja/value.h"

namespace linnet::jinja {

[[nodiscard]] Value add(const Value& a, const Value& b, Budget& budget);
[[nodiscard]] Value subtract(const Value& a, const Value& b);
[[nodiscard]] Value multiply(const Value& a, const Value& b, Budget& budget);
[[nodiscard]] Value divide(const Value& a, const Value& b);
[[nodiscard]] Value floor_divide(const Value& a, const Value& b);
[[nodiscard]] Value modulo(const Value& a, const Value& b, Budget& budget);  // also "…%s…" % values
[[nodiscard]] Value power(const Value& a, const Value& b, Budget& budget);
[[nodiscard]] Value negate(const Value& a);
[[nodiscard]] Value positive(const Value& a);

}  // namespace linnet::jinja
