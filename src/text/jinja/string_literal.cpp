#include "text/jinja/string_literal.h"

#include <cstdint>

#include "text/jinja/failure.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Unescaper {
 public:
  explicit Unescaper(std::string_view literal) : literal_(literal) {}

  [[nodiscard]] std::string run() {
    while (at_ < literal_.size()) {
      const size_t backslash = std::min(literal_.find('\\', at_), literal_.size());
      out_ += literal_.substr(at_, backslash - at_);
      at_ = backslash + 1;
      if (backslash < literal_.size()) resolve();
    }
    return std::move(out_);
  }

 private:
  void resolve() {
    if (at_ == literal_.size()) raise("\\ at end of string");
    const char c = literal_[at_++];
    switch (c) {
      case '\n':
        return;  // a line continued
      case '\\':
      case '\'':
      case '"':
        out_ += c;
        return;
      case 'a':
        out_ += '\a';
        return;
      case 'b':
        out_ += '\b';
        return;
      case 'f':
        out_ += '\f';
        return;
      case 'n':
        out_ += '\n';
        return;
      case 'r':
        out_ += '\r';
        return;
      case 't':
        out_ += '\t';
        return;
      case 'v':
        out_ += '\v';
        return;
      case 'x':
        return append_utf8(hex(2, "xXX"), out_);
      case 'u':
        return append_code_unit(hex(4, "uXXXX"));
      case 'U':
        return append_code_unit(hex(8, "UXXXXXXXX"));
      case 'N':
        raise("\\N{…} escapes are not supported");
      default:
        break;
    }
    if (c >= '0' && c <= '7') {
      --at_;
      char32_t code = 0;
      for (int i = 0; i < 3 && at_ < literal_.size() && literal_[at_] >= '0' && literal_[at_] <= '7'; ++i) {
        code = code * 8 + static_cast<char32_t>(literal_[at_++] - '0');
      }
      return append_utf8(code, out_);
    }
    out_ += '\\';  // not an escape: both characters stay
    out_ += c;
  }

  [[nodiscard]] char32_t hex(int digits, const char* form) {
    char32_t code = 0;
    for (int i = 0; i < digits; ++i) {
      const int digit = at_ < literal_.size() ? hex_digit(literal_[at_]) : -1;
      if (digit < 0) raise("truncated \\", form, " escape");
      code = code * 16 + static_cast<char32_t>(digit);
      ++at_;
    }
    return code;
  }

  // Python would keep a surrogate and fail on it when the text is encoded; a pair, as JSON writes it, is one
  // character here.
  void append_code_unit(char32_t code) {
    if (code >= 0xD800 && code < 0xDC00 && literal_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      const char32_t low = hex(4, "uXXXX");
      if (low >= 0xDC00 && low <= 0xDFFF) code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code > 0x10FFFF) raise("illegal Unicode character");
    if (code >= 0xD800 && code <= 0xDFFF) raise("half of a surrogate pair in a string");
    append_utf8(code, out_);
  }

  std::string_view literal_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string unescape_string(std::string_view literal) {
  return Unescaper(literal).run();
}

}  // namespace linnet::jinja
