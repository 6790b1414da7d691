// Text of unknown origin for a message or a terminal: what would move the cursor, change colours or turn the
// reading direction is written out.
#pragma once

#include <string>
#include <string_view>

namespace linnet {

// Control characters, bytes that are no text and characters that change the direction become \n, \t, \xNN or
// \u{NNNN}; a backslash stays as it is. Cut after that many characters, with … for the rest.
[[nodiscard]] std::string escaped(std::string_view text, size_t most = std::string_view::npos);

// A name for a message: in quotes, cut after 80 characters.
[[nodiscard]] std::string quoted_name(std::string_view name);

// In double quotes, whole, and so that it can be told apart from any other: a quote and a backslash get one
// before them.
[[nodiscard]] std::string quoted_exactly(std::string_view text);

}  // namespace linnet
