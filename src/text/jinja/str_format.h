// "…{}…{name:>8}…".format(…)
#pragma once

#include "text/jinja/value.h"

namespace linnet::jinja {

[[nodiscard]] std::string format_braces(std::string_view format, const Arguments& arguments, Budget& budget);
// As format_map: names are looked up in a dict.
[[nodiscard]] std::string format_braces(std::string_view format, const Value& mapping, Budget& budget);

}  // namespace linnet::jinja
