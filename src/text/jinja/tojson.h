// json.dumps().
#pragma once

#include <optional>

#include "text/jinja/value.h"

namespace linnet::jinja {

struct JsonStyle {
  bool only_ascii = false;
  std::optional<std::string> indent;  // one level; without it all is on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
  bool sort_keys = false;
};

[[nodiscard]] std::string to_json(const Value& value, const JsonStyle& style, Budget& budget);

}  // namespace linnet::jinja
