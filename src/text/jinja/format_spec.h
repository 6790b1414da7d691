// Python's format specification, [[fill]align][sign][#][0][width][,][.precision][type]: what str.format and
// the % operator have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/jinja/value.h"

namespace linnet::jinja {

struct FormatSpec {
  char32_t fill = ' ';
  char align = 0;  // one of < > ^ =, 0 for the default of the type
  char sign = '-';
  bool alternate = false;
  size_t width = 0;
  char grouping = 0;  // , or _
  std::optional<size_t> precision;
  char type = 0;
};

[[nodiscard]] FormatSpec parse_format_spec(std::string_view text);

[[nodiscard]] std::string format_integer(Integer value, const FormatSpec& spec, Budget& budget);
[[nodiscard]] std::string format_float(double value, const FormatSpec& spec, Budget& budget);
[[nodiscard]] std::string format_text(std::string_view text, const FormatSpec& spec, Budget& budget);
// By the type of the value, as the builtin format() does.
[[nodiscard]] std::string format_value(const Value& value, const FormatSpec& spec, Budget& budget);

// A width or precision in digits; stops at the first other character. Raises where it is absurd.
[[nodiscard]] std::optional<size_t> take_number(std::string_view text, size_t& at);

}  // namespace linnet::jinja
