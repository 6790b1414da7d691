#include "text/charsmap.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace linnet {
namespace {

// A unit of darts-clone (darts.h, DoubleArrayUnit).
[[nodiscard]] uint32_t offset_of(uint32_t unit) {
  return (unit >> 10) << ((unit & (1u << 9)) >> 6);
}
[[nodiscard]] uint32_t label_of(uint32_t unit) {
  return unit & ((1u << 31) | 0xFF);
}
[[nodiscard]] bool has_value(uint32_t unit) {
  return (unit >> 8 & 1) != 0;
}

// True iff the character joins the one before it into a grapheme (UAX 29, GB9 and GB9a; Hangul and flags are
// longer than the six bytes that matter here).
[[nodiscard]] bool extends_grapheme(char32_t code) {
  return is_in(code, kMark) || code == 0x200C || code == 0x200D || (code >= 0x1F3FB && code <= 0x1F3FF);
}

[[nodiscard]] size_t grapheme_bytes(std::string_view text) {
  if (text.starts_with("\r\n")) return 2;
  const CodePoint first = decode(text);
  size_t end = first.bytes;
  const CategorySet controls = categories(Category::cc, Category::cf, Category::zl, Category::zp);
  if (is_in(first.value, controls) && first.value != 0x200C && first.value != 0x200D) return end;
  while (end < text.size()) {
    const CodePoint next = decode(text.substr(end));
    if (!extends_grapheme(next.value)) break;
    end += next.bytes;
  }
  return end;
}

}  // namespace

Charsmap::Charsmap(std::string_view blob) {
  uint32_t bytes = 0;
  if (blob.size() >= sizeof bytes) std::memcpy(&bytes, blob.data(), sizeof bytes);
  const std::string_view rest = blob.substr(std::min(blob.size(), sizeof bytes));
  if (blob.size() < sizeof bytes || bytes % 4 != 0 || bytes == 0 || bytes >= rest.size() ||
      rest.back() != '\0') {
    fail(ErrorKind::model, "the precompiled character map of ", blob.size(),
         " bytes is not one of SentencePiece's");
  }
  units_.resize(bytes / 4);
  std::memcpy(units_.data(), rest.data(), bytes);
  texts_ = rest.substr(bytes);
}

template <class OnMatch>
void Charsmap::for_each_prefix(std::string_view text, const OnMatch& on_match) const {
  uint64_t at = offset_of(units_[0]);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    at ^= byte;
    if (byte == 0 || at >= units_.size() || label_of(units_[at]) != byte) return;
    const uint32_t unit = units_[at];
    at ^= offset_of(unit);
    if (!has_value(unit)) continue;
    if (at >= units_.size()) return;
    const uint32_t value = units_[at] & 0x7FFFFFFF;
    if (value >= texts_.size()) return;
    // texts_ ends with NUL, so this stays inside.
    if (!on_match(Match{i + 1, std::string_view(texts_.c_str() + value)})) return;
  }
}

std::optional<Charsmap::Match> Charsmap::longest(std::string_view text) const {
  std::optional<Match> found;
  for_each_prefix(text, [&](const Match& match) {
    found = match;
    return true;
  });
  return found;
}

std::optional<Charsmap::Match> Charsmap::shortest(std::string_view text) const {
  std::optional<Match> found;
  for_each_prefix(text, [&](const Match& match) {
    found = match;
    return false;
  });
  return found;
}

std::string Charsmap::normalize(std::string_view text) const {
  // A key of a real map has a few characters; a hostile one cannot make a position cost more than this.
  constexpr size_t kLongestKey = 64;
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    if (const auto match = longest(text.substr(0, kLongestKey))) {
      result += match->replacement;
      text.remove_prefix(match->bytes);
      continue;
    }
    const CodePoint code = decode(text);
    result += text.substr(0, code.bytes);
    text.remove_prefix(code.bytes);
  }
  return result;
}

void Charsmap::append_replaced(std::string_view part, std::string& into) const {
  const auto match = shortest(part);
  into += match ? match->replacement : part;
}

std::string Charsmap::normalize_graphemes(std::string_view text) const {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::string_view grapheme = text.substr(0, grapheme_bytes(text));
    text.remove_prefix(grapheme.size());
    if (grapheme.size() < 6) {
      if (const auto match = shortest(grapheme)) {
        result += match->replacement;
        continue;
      }
    }
    while (!grapheme.empty()) {
      const CodePoint code = decode(grapheme);
      append_replaced(grapheme.substr(0, code.bytes), result);
      grapheme.remove_prefix(code.bytes);
    }
  }
  return result;
}

}  // namespace linnet
