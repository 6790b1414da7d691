#include "escape.h"

#include <array>
#include <cstdio>

#include "text/utf8.h"

namespace linnet::cli {
namespace {

// C0 and C1 controls, and what Unicode has for direction and lines (Unicode 15, 23.2).
bool is_unsafe(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C ||
         (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

std::string written_out(char32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  std::array<char, 16> text{};
  const auto value = static_cast<unsigned>(code);
  if (code >= kRawByte) {
    std::snprintf(text.data(), text.size(), "\\x%02X", value - static_cast<unsigned>(kRawByte));
  } else if (code < 0x80) {
    std::snprintf(text.data(), text.size(), "\\x%02X", value);
  } else {
    std::snprintf(text.data(), text.size(), "\\u{%04X}", value);
  }
  return text.data();
}

}  // namespace

std::string escaped(std::string_view text) {
  return escaped(text, text.size());
}

std::string escaped(std::string_view text, size_t most) {
  std::string result;
  for (size_t count = 0; !text.empty(); ++count) {
    if (count == most) return result + "…";
    const CodePoint code = decode(text);
    if (is_unsafe(code.value) || code.value >= kRawByte) {
      result += written_out(code.value);
    } else {
      result += text.substr(0, code.bytes);
    }
    text.remove_prefix(code.bytes);
  }
  return result;
}

}  // namespace linnet::cli
