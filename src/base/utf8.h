// UTF-8: lengths, validation and repair, in one place.
#pragma once

#include <cstddef>
#include <cstdint>
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

// A byte that belongs to no character is the code point kRawByte + byte: it passes through every text
// transformation and comes out of append_utf8() as it went in.
inline constexpr char32_t kRawByte = 0x110000;

struct CodePoint {
  char32_t value;
  uint32_t bytes;
};

[[nodiscard]] CodePoint decode_long(std::string_view text) noexcept;

// The code point at the front of text, which is not empty.
[[nodiscard]] inline CodePoint decode(std::string_view text) noexcept {
  const auto byte = static_cast<unsigned char>(text[0]);
  return byte < 0x80 ? CodePoint{byte, 1} : decode_long(text);
}

// The code point at the end of text, which is not empty.
[[nodiscard]] CodePoint decode_last(std::string_view text) noexcept;

void append_utf8(char32_t code, std::string& into);

[[nodiscard]] bool is_ascii(std::string_view text) noexcept;

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

// Moves what is certain from the front of bytes to the result: whole characters, and U+FFFD for each byte
// that belongs to none. A truncated character stays in bytes, unless final.
[[nodiscard]] std::string take_utf8(std::string& bytes, bool final);

}  // namespace linnet
