#include "base/quoted.h"

#include <array>
#include <cstdio>

#include "base/utf8.h"

namespace linnet {
namespace {

// C0 and C1 controls, and what Unicode has for direction and lines (Unicode 15, 23.2).
[[nodiscard]] bool is_unsafe(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C ||
         (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF || code >= kRawByte;
}

[[nodiscard]] std::string written_out(char32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  std::array<char, 16> text{};
  const bool is_byte = code < 0x80 || code >= kRawByte;
  const auto value = static_cast<unsigned>(code >= kRawByte ? code - kRawByte : code);
  std::snprintf(text.data(), text.size(), is_byte ? "\\x%02X" : "\\u{%04X}", value);
  return text.data();
}

// Characters of `with_backslash` get one before them.
void append_escaped(std::string_view text, size_t most, std::string_view with_backslash, std::string& into) {
  for (size_t count = 0; !text.empty(); ++count) {
    if (count == most) {
      into += "…";
      return;
    }
    const CodePoint code = decode(text);
    if (is_unsafe(code.value)) {
      into += written_out(code.value);
    } else {
      if (with_backslash.find(text.front()) != std::string_view::npos) into += '\\';
      into += text.substr(0, code.bytes);
    }
    text.remove_prefix(code.bytes);
  }
}

}  // namespace

std::string escaped(std::string_view text, size_t most) {
  std::string result;
  append_escaped(text, most, "", result);
  return result;
}

std::string quoted_name(std::string_view name) {
  constexpr size_t kMostCharacters = 80;
  std::string result = "'";
  append_escaped(name, kMostCharacters, "", result);
  return result + '\'';
}

std::string quoted_exactly(std::string_view text) {
  std::string result = "\"";
  append_escaped(text, std::string_view::npos, "\"\\", result);
  return result + '"';
}

}  // namespace linnet
