#include "text/jinja/html_text.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "text/jinja/html_entities.h"
#include "text/jinja/print.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

constexpr size_t kNone = std::string_view::npos;

constexpr std::string_view kOpen = "<!--";

struct Comment {
  size_t kept;   // bytes of it that were kept before it was seen to be one
  size_t begin;  // of the rest
  size_t body;   // after its "<!--"
};

// The next comment of kept and html from `at` on: what went between them may have been all that kept it
// apart.
[[nodiscard]] std::optional<Comment> find_comment(std::string_view kept, std::string_view html, size_t at) {
  for (size_t before = kOpen.size() - 1; before > 0; --before) {
    if (kept.ends_with(kOpen.substr(0, before)) && html.substr(at).starts_with(kOpen.substr(before)))
      return Comment{before, at, at + kOpen.size() - before};
  }
  const size_t found = html.find(kOpen, at);
  if (found == kNone) return std::nullopt;
  return Comment{0, found, found + kOpen.size()};
}

// The dashes of the beginning count as those of the end too: "<!-->" is a comment.
[[nodiscard]] size_t comment_end(std::string_view html, size_t body) {
  if (html.substr(body).starts_with('>')) return body + 1;
  if (html.substr(body).starts_with("->")) return body + 2;
  const size_t found = html.find("-->", body);
  return found == kNone ? kNone : found + 3;
}

// As markupsafe does it, which begins to search again after each comment, but looking at the seam only.
[[nodiscard]] std::string without_comments(std::string_view html) {
  std::string kept;
  size_t at = 0;  // what is before lies in kept
  while (const std::optional<Comment> comment = find_comment(kept, html, at)) {
    const size_t end = comment_end(html, comment->body);
    if (end == kNone) break;
    kept.resize(kept.size() - comment->kept);
    kept += html.substr(at, comment->begin - at);
    at = end;
  }
  kept += html.substr(at);
  return kept;
}

[[nodiscard]] std::string without_tags(std::string_view html) {
  std::string kept;
  for (;;) {
    const size_t begin = html.find('<');
    const size_t end = begin == kNone ? kNone : html.find('>', begin);
    if (end == kNone) break;
    kept += html.substr(0, begin);
    html.remove_prefix(end + 1);
  }
  kept += html;
  return kept;
}

[[nodiscard]] std::string with_single_spaces(std::string_view text) {
  std::string out;
  bool is_between = false;
  for (CodePoint code{}; !text.empty(); text.remove_prefix(code.bytes)) {
    code = decode(text);
    if (is_space(code.value)) {
      is_between = true;
      continue;
    }
    if (is_between && !out.empty()) out += ' ';
    is_between = false;
    out += text.substr(0, code.bytes);
  }
  return out;
}

[[nodiscard]] const HtmlEntity* find_entity(std::string_view name) {
  const auto* found = std::lower_bound(std::begin(kHtmlEntities), std::end(kHtmlEntities), name,
                                       [](const HtmlEntity& a, std::string_view b) { return a.name < b; });
  return found != std::end(kHtmlEntities) && found->name == name ? found : nullptr;
}

// What a numeric reference means by HTML 5's rules: 0x80 to 0x9F are Windows-1252, controls are nothing.
[[nodiscard]] std::u32string character_of(uint32_t number) {
  static constexpr char32_t kWindows[32] = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                            0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                            0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                            0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};
  if (number >= 0x80 && number <= 0x9F) return {kWindows[number - 0x80]};
  if (number == 0 || (number >= 0xD800 && number <= 0xDFFF) || number > 0x10FFFF) return {0xFFFD};
  const bool is_control =
      (number < 0x20 && number != '\t' && number != '\n' && number != '\f' && number != '\r') ||
      number == 0x7F;
  const bool is_no_character = (number >= 0xFDD0 && number <= 0xFDEF) || (number & 0xFFFE) == 0xFFFE;
  if (is_control || is_no_character) return {};
  return {static_cast<char32_t>(number)};
}

[[nodiscard]] bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// After "&#". Returns the bytes of the reference, 0 if it is none.
[[nodiscard]] size_t append_numeric(std::string_view text, BoundedText& out) {
  constexpr size_t kMostDecimalDigits = 4300;  // Python's int() raises beyond
  const bool is_hex = !text.empty() && (text[0] == 'x' || text[0] == 'X');
  size_t at = is_hex ? 1 : 0;
  const size_t first = at;
  uint32_t number = 0;
  for (; at < text.size() && is_hex_digit(text[at]) && (is_hex || text[at] <= '9'); ++at) {
    const char c = text[at];
    const auto digit = static_cast<uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    number = std::min<uint32_t>(number * (is_hex ? 16 : 10) + digit, 0x110000);
  }
  if (at == first) return 0;
  if (!is_hex && at - first > kMostDecimalDigits)
    raise("Exceeds the limit (4300 digits) for integer string conversion");
  if (at < text.size() && text[at] == ';') ++at;
  out.append(to_utf8(character_of(number)));
  return at;
}

// After "&". The longest name that begins here, at most 32 characters of it. Returns the bytes that were
// read.
[[nodiscard]] size_t append_named(std::string_view text, BoundedText& out) {
  constexpr std::string_view kEnds("\t\n\f <&#;");
  size_t length = 0;
  for (size_t count = 0; count < 32 && length < text.size(); ++count) {
    if (kEnds.find(text[length]) != kNone) break;
    length += decode_at(text, length).bytes;
  }
  if (length == 0) {
    out.append('&');
    return 0;
  }
  if (length < text.size() && text[length] == ';') ++length;
  const std::string_view name = text.substr(0, length);
  for (size_t tried = length; tried > 1; --tried) {
    const HtmlEntity* entity = find_entity(name.substr(0, tried));
    if (!entity) continue;
    out.append(entity->text);
    out.append(name.substr(tried));
    return length;
  }
  out.append('&');
  out.append(name);
  return length;
}

}  // namespace

std::string unescape_html(std::string_view html, Budget& budget) {
  budget.spend(html.size() / 2 + 1);  // a reference looks for each of its beginnings in the table
  BoundedText out(budget);
  for (;;) {
    const size_t at = html.find('&');
    out.append(html.substr(0, at));
    if (at == kNone) return out.take();
    html.remove_prefix(at + 1);
    if (!html.starts_with('#')) {
      html.remove_prefix(append_named(html, out));
      continue;
    }
    const size_t numeric = append_numeric(html.substr(1), out);
    if (numeric == 0) out.append('&');
    html.remove_prefix(numeric == 0 ? 0 : numeric + 1);
  }
}

std::string strip_tags(std::string_view html, Budget& budget) {
  budget.prepare_text(3 * html.size());
  budget.spend_characters(html.size());
  return unescape_html(with_single_spaces(without_tags(without_comments(html))), budget);
}

}  // namespace linnet::jinja
