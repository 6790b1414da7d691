#include "text/jinja/unicode.h"

#include <algorithm>
#include <span>

#include "text/jinja/case_tables.h"
#include "text/unicode.h"

namespace linnet::jinja {
namespace {

// The range that c is in, or null.
template <class Range>
[[nodiscard]] const Range* find_range(std::span<const Range> ranges, char32_t c) noexcept {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                      [](char32_t point, const Range& range) { return point < range.first; });
  if (after == ranges.begin()) return nullptr;
  const Range& range = after[-1];
  return c <= range.last && (c - range.first) % range.stride == 0 ? &range : nullptr;
}

// Appends what c becomes, if it is in the table.
[[nodiscard]] bool append_expanded(std::string& out, std::span<const CaseExpansion> expansions, char32_t c) {
  const auto found =
      std::lower_bound(expansions.begin(), expansions.end(), c,
                       [](const CaseExpansion& expansion, char32_t point) { return expansion.from < point; });
  if (found == expansions.end() || found->from != c) return false;
  for (const uint32_t to : found->to) {
    if (to != 0) append_utf8(to, out);
  }
  return true;
}

void append_upper(std::string& out, char32_t c) {
  if (append_expanded(out, kUpperExpansions, c)) return;
  const CaseRange* range = find_range(kUpperRanges, c);
  append_utf8(range ? static_cast<char32_t>(static_cast<int32_t>(c) + range->delta) : c, out);
}

void append_title(std::string& out, char32_t c) {
  if (!append_expanded(out, kTitleExceptions, c)) append_upper(out, c);
}

// Unicode's Case_Ignorable: some categories and the punctuation inside of words.
[[nodiscard]] bool is_case_ignorable(char32_t c) noexcept {
  constexpr CategorySet kIgnorable =
      categories(Category::mn, Category::me, Category::cf, Category::lm, Category::sk);
  constexpr std::u32string_view kInsideWords =
      U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A";
  return linnet::is_in(c, kIgnorable) || kInsideWords.find(c) != std::u32string_view::npos;
}

// Unicode 15, section 3.13: Σ is ς after a cased letter and not before one.
[[nodiscard]] bool is_final_sigma(std::u32string_view text, size_t at) noexcept {
  size_t before = at;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  size_t after = at + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

void append_lower(std::string& out, std::u32string_view text, size_t at) {
  constexpr char32_t kCapitalIWithDot = 0x130;  // the one that becomes two
  if (text[at] == U'Σ') {
    append_utf8(is_final_sigma(text, at) ? U'ς' : U'σ', out);
  } else if (text[at] == kCapitalIWithDot) {
    out += "i\xCC\x87";
  } else {
    append_utf8(lowercase(text[at]), out);
  }
}

}  // namespace

size_t count_code_points(std::string_view text) noexcept {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) at += decode_at(text, at).bytes;
  return count;
}

size_t byte_offset(std::string_view text, size_t code_point_index) noexcept {
  size_t at = 0;
  for (; code_point_index > 0 && at < text.size(); --code_point_index) at += decode_at(text, at).bytes;
  return at;
}

std::u32string to_code_points(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const CodePoint character = decode_at(text, at);
    out += character.value;
    at += character.bytes;
  }
  return out;
}

std::string to_utf8(std::u32string_view code_points) {
  std::string out;
  out.reserve(code_points.size());
  for (const char32_t c : code_points) append_utf8(c, out);
  return out;
}

bool is_space(char32_t c) noexcept {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_line_break(char32_t c) noexcept {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_alphabetic(char32_t c) noexcept {
  return linnet::is_in(c, kLetter);
}
bool is_decimal(char32_t c) noexcept {
  return category(c) == Category::nd;
}
bool is_digit(char32_t c) noexcept {
  return is_decimal(c) || find_range(kOtherDigits, c);
}
bool is_numeric(char32_t c) noexcept {
  return linnet::is_in(c, kNumber) || find_range(kOtherNumerics, c);
}
bool is_alphanumeric(char32_t c) noexcept {
  return linnet::is_in(c, kLetter | kNumber);  // the other numerics are letters
}
bool is_lowercase(char32_t c) noexcept {
  return category(c) == Category::ll || find_range(kOtherLowercase, c);
}
bool is_uppercase(char32_t c) noexcept {
  return category(c) == Category::lu || find_range(kOtherUppercase, c);
}
bool is_titlecase(char32_t c) noexcept {
  return category(c) == Category::lt;
}
bool is_cased(char32_t c) noexcept {
  return is_lowercase(c) || is_uppercase(c) || is_titlecase(c);
}
bool is_printable(char32_t c) noexcept {
  constexpr CategorySet kUnprintable =
      kSeparator | categories(Category::cc, Category::cf, Category::cn, Category::co, Category::cs);
  return c == ' ' || !linnet::is_in(c, kUnprintable);
}

std::string to_lower(std::string_view text) {
  const std::u32string points = to_code_points(text);
  std::string out;
  for (size_t i = 0; i < points.size(); ++i) append_lower(out, points, i);
  return out;
}

std::string to_upper(std::string_view text) {
  std::string out;
  for (const char32_t c : to_code_points(text)) append_upper(out, c);
  return out;
}

std::string to_title(std::string_view text) {
  const std::u32string points = to_code_points(text);
  std::string out;
  bool inside_word = false;
  for (size_t i = 0; i < points.size(); ++i) {
    if (inside_word) {
      append_lower(out, points, i);
    } else {
      append_title(out, points[i]);
    }
    inside_word = is_cased(points[i]);
  }
  return out;
}

std::string capitalize(std::string_view text) {
  const std::u32string points = to_code_points(text);
  std::string out;
  for (size_t i = 0; i < points.size(); ++i) {
    if (i > 0) {
      append_lower(out, points, i);
    } else {
      append_title(out, points[i]);
    }
  }
  return out;
}

std::string swap_case(std::string_view text) {
  const std::u32string points = to_code_points(text);
  std::string out;
  for (size_t i = 0; i < points.size(); ++i) {
    if (is_uppercase(points[i])) {
      append_lower(out, points, i);
    } else if (is_lowercase(points[i])) {
      append_upper(out, points[i]);
    } else {
      append_utf8(points[i], out);
    }
  }
  return out;
}

std::string_view take_line(std::string_view& text, bool keep_end) noexcept {
  const std::string_view all = text;
  size_t end = 0;
  size_t next = all.size();
  for (; end < all.size(); end += decode_at(all, end).bytes) {
    const CodePoint character = decode_at(all, end);
    if (!is_line_break(character.value)) continue;
    next = end + character.bytes;
    if (character.value == '\r' && next < all.size() && all[next] == '\n') ++next;
    break;
  }
  text.remove_prefix(next);
  return all.substr(0, keep_end ? next : end);
}

std::string_view strip_space(std::string_view text, bool left, bool right) noexcept {
  while (left && !text.empty()) {
    const CodePoint character = decode_at(text, 0);
    if (!is_space(character.value)) break;
    text.remove_prefix(character.bytes);
  }
  while (right && !text.empty()) {
    size_t at = text.size() - 1;
    while (at > 0 && text.size() - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    const CodePoint character = decode_at(text, at);
    if (at + character.bytes != text.size() || !is_space(character.value)) break;
    text.remove_suffix(character.bytes);
  }
  return text;
}

}  // namespace linnet::jinja
