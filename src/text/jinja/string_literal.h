// The escapes of a string literal.
#pragma once

#include <string>
#include <string_view>

namespace linnet::jinja {

// What is between the quotes, with Python's escapes resolved. Raises Failure for a malformed one.
[[nodiscard]] std::string unescape_string(std::string_view literal);

}  // namespace linnet::jinja
