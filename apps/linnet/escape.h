// Text from a file for a terminal: what would move the cursor, change colours or turn the reading direction
// is written out.
#pragma once

#include <string>
#include <string_view>

namespace linnet::cli {

// Control characters, bytes that are no text and characters that change the direction become \xNN, \n, \t or
// \u{NNNN}; a backslash stays as it is.
[[nodiscard]] std::string escaped(std::string_view text);
// The same, cut after about that many characters.
[[nodiscard]] std::string escaped(std::string_view text, size_t most);

}  // namespace linnet::cli
