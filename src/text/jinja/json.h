// JSON as template values.
#pragma once

#include <string_view>

#include "text/jinja/value.h"

namespace linnet::jinja {

// Keys keep their order, integers their digits. Throws Error(usage) for what is no JSON or nested too deeply.
[[nodiscard]] Value parse_json(std::string_view text);

}  // namespace linnet::jinja
