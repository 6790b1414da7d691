// UTF-8 text with Python's view of it: lengths and positions in code points, its character classes and case
// mappings. A byte that belongs to no character counts as one code point and survives every operation
// (base/utf8.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace linnet::jinja {

// The character at byte position at < text.size().
[[nodiscard]] inline CodePoint decode_at(std::string_view text, size_t at) noexcept {
  return decode(text.substr(at));
}

[[nodiscard]] size_t count_code_points(std::string_view text) noexcept;
// The byte position of a code point; text.size() for one past the end or further.
[[nodiscard]] size_t byte_offset(std::string_view text, size_t code_point_index) noexcept;
[[nodiscard]] std::u32string to_code_points(std::string_view text);
[[nodiscard]] std::string to_utf8(std::u32string_view code_points);

// str.isspace() of one character, which is also what strip() and the template's own whitespace control
// remove.
[[nodiscard]] bool is_space(char32_t c) noexcept;
[[nodiscard]] bool is_line_break(char32_t c) noexcept;  // str.splitlines()
[[nodiscard]] bool is_alphabetic(char32_t c) noexcept;
[[nodiscard]] bool is_decimal(char32_t c) noexcept;
[[nodiscard]] bool is_digit(char32_t c) noexcept;
[[nodiscard]] bool is_numeric(char32_t c) noexcept;
[[nodiscard]] bool is_alphanumeric(char32_t c) noexcept;
[[nodiscard]] bool is_lowercase(char32_t c) noexcept;
[[nodiscard]] bool is_uppercase(char32_t c) noexcept;
[[nodiscard]] bool is_titlecase(char32_t c) noexcept;
[[nodiscard]] bool is_cased(char32_t c) noexcept;
[[nodiscard]] bool is_printable(char32_t c) noexcept;

[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] std::string to_upper(std::string_view text);
[[nodiscard]] std::string to_title(std::string_view text);  // str.title()
[[nodiscard]] std::string capitalize(std::string_view text);
[[nodiscard]] std::string swap_case(std::string_view text);

// Takes the first line of str.splitlines() off the front of text, which is not empty.
[[nodiscard]] std::string_view take_line(std::string_view& text, bool keep_end = false) noexcept;

// Without the whitespace at the chosen ends.
[[nodiscard]] std::string_view strip_space(std::string_view text, bool left, bool right) noexcept;

}  // namespace linnet::jinja
