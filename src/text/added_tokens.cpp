#include "text/added_tokens.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/script_classes.h"
#include "text/unicode.h"

namespace linnet {
namespace {

[[nodiscard]] std::vector<std::string> normalized_texts(const std::vector<AddedToken>& tokens,
                                                        const Normalizer& normalizer) {
  std::vector<std::string> texts;
  EncodeWork ignored;
  for (const AddedToken& token : tokens)
    texts.push_back(token.normalized ? normalizer.apply(token.text, ignored) : std::string());
  return texts;
}

[[nodiscard]] std::vector<SpecialTokens::Special> specials(const std::vector<AddedToken>& tokens,
                                                           const std::vector<std::string>& normalized_texts,
                                                           bool normalized) {
  std::vector<SpecialTokens::Special> result;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].normalized == normalized)
      result.push_back({normalized ? normalized_texts[i] : tokens[i].text, tokens[i].token});
  }
  return result;
}

[[nodiscard]] size_t spaces_before(std::string_view text) {
  size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint last = decode_last(text.substr(0, text.size() - bytes));
    if (!is_space(last.value)) break;
    bytes += last.bytes;
  }
  return bytes;
}

[[nodiscard]] size_t spaces_after(std::string_view text) {
  size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint next = decode(text.substr(bytes));
    if (!is_space(next.value)) break;
    bytes += next.bytes;
  }
  return bytes;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer)
    : tokens_(std::move(tokens)),
      normalized_texts_(normalized_texts(tokens_, normalizer)),
      raw_(specials(tokens_, normalized_texts_, false)),
      normalized_(specials(tokens_, normalized_texts_, true)) {
  for (size_t i = 0; i < tokens_.size(); ++i) index_.emplace(tokens_[i].token, i);
}

std::vector<AddedTokens::Segment> AddedTokens::split_raw(std::string_view text, bool parse_special) const {
  return split(raw_, text, parse_special);
}

std::vector<AddedTokens::Segment> AddedTokens::split_normalized(std::string_view text,
                                                                bool parse_special) const {
  return split(normalized_, text, parse_special);
}

std::vector<AddedTokens::Segment> AddedTokens::split(const SpecialTokens& finder, std::string_view text,
                                                     bool parse_special) const {
  std::vector<Segment> segments;
  std::string_view rest = text;
  size_t done = 0;        // everything before is in a segment
  size_t spaces_end = 0;  // of the white space that was looked at last; tokens may be white space themselves
  while (!rest.empty()) {
    const SpecialTokens::Fragment fragment = finder.next(rest);
    if (!fragment.token) break;
    const AddedToken& token = tokens_[index_.at(*fragment.token)];
    size_t begin = static_cast<size_t>(fragment.text.data() - text.data()) + fragment.text.size();
    size_t end = text.size() - rest.size();
    if (token.special && !parse_special) continue;
    if (token.single_word) {
      const bool word_before = begin > 0 && is_word(decode_last(text.substr(0, begin)).value);
      if (word_before || (end < text.size() && is_word(decode(text.substr(end)).value))) continue;
    }
    begin = std::max(begin, done);  // a token before it may have taken its white space
    if (token.lstrip) begin -= spaces_before(text.substr(done, begin - done));
    if (token.rstrip) {
      end = std::max(end, spaces_end);
      end += spaces_after(text.substr(end));
      spaces_end = end;
    }
    if (begin > done) segments.push_back({text.substr(done, begin - done), std::nullopt});
    segments.push_back({{}, token.token});
    done = std::max(done, end);
  }
  if (done < text.size()) segments.push_back({text.substr(done), std::nullopt});
  return segments;
}

}  // namespace linnet
