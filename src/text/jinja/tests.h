// Jinja's built-in tests: value is name(arguments).
#pragma once

#include <string_view>

#include "text/jinja/value.h"

namespace linnet::jinja {

using Test = bool (*)(const Value& subject, Arguments arguments, Budget& budget);

// Null if there is no test of that name.
[[nodiscard]] Test find_test(std::string_view name);

}  // namespace linnet::jinja
