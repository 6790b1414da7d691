// Numbers as Python writes and reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/jinja/value.h"

namespace linnet::jinja {

[[nodiscard]] std::string integer_to_text(Integer value, unsigned base = 10);
// repr() of a float: the shortest digits that give it back, "1.0", "1e+16", "inf", "nan".
[[nodiscard]] std::string float_to_text(double value);

// int(text, base), float(text): nothing where Python raises ValueError. Base 0 takes the prefix 0x, 0o or 0b.
[[nodiscard]] std::optional<Integer> parse_integer(std::string_view text, unsigned base = 10);
[[nodiscard]] std::optional<double> parse_float(std::string_view text);

// The integer part of a float; raises for infinities, NaN and what 128 bits do not hold.
[[nodiscard]] Integer truncate_to_integer(double value);
// A double with so many digits after the point (before it, if negative), ties to even: round(value, digits).
[[nodiscard]] double round_to_digits(double value, int digits);

// Arguments that count something: an error if they do not fit.
[[nodiscard]] int64_t to_index(Integer value);

}  // namespace linnet::jinja
