#include "text/unigram.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/utf8.h"

namespace linnet {
namespace {

constexpr Token kUnknown = -2;  // in a path: a character without a token
constexpr double kUnknownPenalty = 10;

// The best way to end at a position.
struct Step {
  double score = 0;
  uint32_t begin = 0;
  Token token = kNoToken;  // kNoToken: nothing ends here
};

}  // namespace

Unigram::Unigram(Trie trie, std::vector<double> scores, const Vocabulary& vocabulary,
                 const UnigramOptions& options)
    : trie_(std::move(trie)), scores_(std::move(scores)), options_(options) {
  bytes_.fill(kNoToken);
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto value = byte_token_value(vocabulary.text(static_cast<Token>(i)));
    if (value && bytes_[*value] == kNoToken) bytes_[*value] = static_cast<Token>(i);
  }
}

void Unigram::encode(std::string_view word, std::vector<Token>& into, EncodeWork& work) const {
  if (word.size() >= std::numeric_limits<uint32_t>::max())
    fail(ErrorKind::usage, "a word of ", word.size(), " bytes is too long to tokenize");
  std::vector<Step> best(word.size() + 1);
  const auto offer = [&](size_t begin, size_t end, double score, Token token) {
    Step& step = best[end];
    if (step.token == kNoToken || score > step.score) step = {score, static_cast<uint32_t>(begin), token};
  };
  for (size_t begin = 0; begin < word.size();) {
    const size_t character_end = begin + decode(word.substr(begin)).bytes;
    const double score = best[begin].score;
    bool has_character = false;
    Trie::Node node = Trie::kRoot;
    for (size_t end = begin; end < word.size();) {
      ++work.scanned;
      node = trie_.child(node, static_cast<unsigned char>(word[end++]));
      if (node == Trie::kNone) break;
      const Token token = trie_.token(node);
      if (token == kNoToken) continue;
      offer(begin, end, score + scores_[static_cast<size_t>(token)], token);
      has_character = has_character || end == character_end;
    }
    if (!has_character)
      offer(begin, character_end, score + options_.lowest_score - kUnknownPenalty, kUnknown);
    begin = character_end;
  }

  // From the end back; neighbouring unknown characters are one.
  const size_t first = into.size();
  std::vector<Token> reversed;
  for (size_t end = word.size(); end > 0;) {
    const Token token = best[end].token;
    size_t begin = best[end].begin;
    if (token != kUnknown) {
      into.push_back(token);
    } else {
      while (begin > 0 && best[begin].token == kUnknown) begin = best[begin].begin;
      reversed.clear();
      append_unknown(word.substr(begin, end - begin), reversed);
      into.insert(into.end(), reversed.rbegin(), reversed.rend());
    }
    end = begin;
  }
  std::reverse(into.begin() + static_cast<std::ptrdiff_t>(first), into.end());
}

void Unigram::append_unknown(std::string_view text, std::vector<Token>& into) const {
  const auto token_of = [this](char byte) { return bytes_[static_cast<unsigned char>(byte)]; };
  const bool as_bytes = options_.byte_fallback && std::none_of(text.begin(), text.end(), [&](char byte) {
                          return token_of(byte) == kNoToken;
                        });
  if (as_bytes) {
    for (const char byte : text) into.push_back(token_of(byte));
  } else if (options_.unknown) {
    into.push_back(*options_.unknown);
  }
}

}  // namespace linnet
