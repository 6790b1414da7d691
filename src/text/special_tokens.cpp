#include "text/special_tokens.h"

#include <algorithm>
#include <tuple>

namespace linnet {
namespace {

[[nodiscard]] std::vector<SpecialTokens::Special> matched_of(const Vocabulary& vocabulary,
                                                             const std::function<bool(TokenKind)>& matched) {
  std::vector<SpecialTokens::Special> specials;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto token = static_cast<Token>(i);
    if (matched(vocabulary.kind(token))) specials.push_back({vocabulary.text(token), token});
  }
  return specials;
}

}  // namespace

SpecialTokens::SpecialTokens(const Vocabulary& vocabulary, const std::function<bool(TokenKind)>& matched)
    : SpecialTokens(matched_of(vocabulary, matched)) {}

SpecialTokens::SpecialTokens(std::vector<Special> specials) : sorted_(std::move(specials)) {
  std::erase_if(sorted_, [](const Special& special) { return special.text.empty(); });
  // The first of several tokens with one text comes first and stays.
  std::sort(sorted_.begin(), sorted_.end(), [](const Special& a, const Special& b) {
    return std::tie(a.text, a.token) < std::tie(b.text, b.token);
  });
  const auto same = [](const Special& a, const Special& b) { return a.text == b.text; };
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end(), same), sorted_.end());
  for (size_t i = 0; i < sorted_.size(); ++i) {
    auto& [begin, end] = by_first_byte_[static_cast<unsigned char>(sorted_[i].text[0])];
    if (end == 0) begin = i;
    end = i + 1;
  }
}

const SpecialTokens::Special* SpecialTokens::longest_at(std::string_view text) const {
  auto [begin, end] = by_first_byte_[static_cast<unsigned char>(text[0])];
  const Special* longest = nullptr;
  // Invariant: the texts in [begin, end) agree with the first `length` bytes; each step narrows the range by
  // one byte, so the work is bounded by the longest token, not by how many there are.
  for (size_t length = 1; begin < end; ++length) {
    if (sorted_[begin].text.size() == length) longest = &sorted_[begin++];
    if (length == text.size()) break;
    const auto byte_before = [length](const Special& special, unsigned char byte) {
      return static_cast<unsigned char>(special.text[length]) < byte;
    };
    const auto byte_after = [length](unsigned char byte, const Special& special) {
      return byte < static_cast<unsigned char>(special.text[length]);
    };
    const auto next = static_cast<unsigned char>(text[length]);
    const auto first = sorted_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = sorted_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto low = std::lower_bound(first, last, next, byte_before);
    const auto high = std::upper_bound(low, last, next, byte_after);
    begin = static_cast<size_t>(low - sorted_.begin());
    end = static_cast<size_t>(high - sorted_.begin());
  }
  return longest;
}

SpecialTokens::Fragment SpecialTokens::next(std::string_view& text) const {
  const std::string_view whole = text;
  for (size_t i = 0; i < whole.size() && !sorted_.empty(); ++i) {
    if (by_first_byte_[static_cast<unsigned char>(whole[i])].second == 0) continue;
    if (const Special* special = longest_at(whole.substr(i))) {
      text.remove_prefix(i + special->text.size());
      return {whole.substr(0, i), special->token};
    }
  }
  text = {};
  return {whole, std::nullopt};
}

}  // namespace linnet
