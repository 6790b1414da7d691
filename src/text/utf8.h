// UTF-8: lengths, validation and repair, in one place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linnet {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

enum class Utf8State : unsigned char {
  complete,   // a whole character
  truncated,  // the beginning of one: more bytes may complete it
  invalid,    // the first byte begins no character here
};

struct Utf8Character {
  Utf8State state;
  size_t bytes;  // of the character; all that is there if truncated, 1 if invalid
};

// The character at the front of text, which is not empty. Overlong forms, surrogates and values above
// U+10FFFF are invalid (Unicode 15, table 3-7).
[[nodiscard]] Utf8Character first_character(std::string_view text) noexcept;

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

// Moves what is certain from the front of bytes to the result: whole characters, and U+FFFD for each byte
// that belongs to none. A truncated character stays in bytes, unless final.
[[nodiscard]] std::string take_utf8(std::string& bytes, bool final);

}  // namespace linnet
