// The filter pprint: Python's pprint.pformat(), lines of 80 columns and dicts sorted by key.
#pragma once

#include "text/jinja/value.h"

namespace linnet::jinja {

[[nodiscard]] std::string pretty_print(const Value& value, Budget& budget);

}  // namespace linnet::jinja
