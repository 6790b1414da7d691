// Jinja's built-in filters: value | name(arguments).
#pragma once

#include <string_view>

#include "text/jinja/value.h"

namespace linnet::jinja {

using Filter = Value (*)(const Value& subject, Arguments arguments, Budget& budget);

struct NamedFilter {
  std::string_view name;
  Filter filter;
};

// Null if there is no filter of that name.
[[nodiscard]] Filter find_filter(std::string_view name);

}  // namespace linnet::jinja
