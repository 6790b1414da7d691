// Small vocabularies of each kind for tests and fuzz targets, made by a fixed rule from a few characters so
// that random texts hit most of them.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/bpe.h"
#include "text/byte_alphabet.h"
#include "text/unigram.h"
#include "text/word_piece.h"

namespace linnet::test {

// Owns texts and gives each a token.
class Tokens {
 public:
  Token add(const std::string& text, TokenKind kind = TokenKind::normal) {
    for (size_t i = 0; i < texts_.size(); ++i)
      if (texts_[i] == text) return static_cast<Token>(i);
    texts_.push_back(text);
    kinds_.push_back(kind);
    return static_cast<Token>(texts_.size() - 1);
  }
  [[nodiscard]] Vocabulary vocabulary() const {
    VocabularyParts parts;
    parts.texts.assign(texts_.begin(), texts_.end());
    parts.kinds = kinds_;
    return Vocabulary(parts);
  }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::vector<TokenKind> kinds_;
};

using Merges = std::vector<std::pair<std::string, std::string>>;

// Ranks that often compete for one symbol.
[[nodiscard]] inline const Merges& small_merges() {
  static const Merges merges = {
      {"a", "b"},   {"b", "a"},    {"a", "a"},       {"ab", "a"},       {"aa", "aa"}, {"c", "a"},
      {"ab", "ab"}, {"b", "c"},    {"aaaa", "aaaa"}, {" ", "a"},        {"b", "b"},   {" a", "b"},
      {"ba", "ba"}, {"abab", "c"}, {"\xC3", "\xA4"}, {"a", "\xC3\xA4"}, {" ", " "},   {"aba", "b"}};
  return merges;
}

struct SmallBpe {
  Tokens tokens;
  Vocabulary vocabulary;
  std::unique_ptr<Bpe> model;
};

[[nodiscard]] inline std::vector<Bpe::Pair> views_of(const Merges& merges) {
  std::vector<Bpe::Pair> views;
  for (const auto& [left, right] : merges) views.emplace_back(left, right);
  return views;
}

// All bytes are tokens; "zab" is one that no merges lead to.
[[nodiscard]] inline SmallBpe small_byte_bpe(bool ignore_merges = false) {
  Tokens tokens;
  for (int byte = 0; byte < 256; ++byte)
    tokens.add(to_byte_alphabet(std::string(1, static_cast<char>(byte))));
  Merges merges;
  for (const auto& [left, right] : small_merges()) {
    merges.emplace_back(to_byte_alphabet(left), to_byte_alphabet(right));
    tokens.add(to_byte_alphabet(left + right));
  }
  tokens.add("zab");
  Vocabulary vocabulary = tokens.vocabulary();
  BpeOptions options;
  options.byte_level = true;
  options.ignore_merges = ignore_merges;
  auto model = std::make_unique<Bpe>(vocabulary, views_of(merges), options);
  return {std::move(tokens), std::move(vocabulary), std::move(model)};
}

// Some characters are tokens, the others bytes or, without byte tokens, unknown.
[[nodiscard]] inline SmallBpe small_character_bpe(bool byte_fallback, bool fuse_unknown = false) {
  Tokens tokens;
  BpeOptions options;
  options.unknown = tokens.add("<unk>", TokenKind::unknown);
  options.byte_fallback = byte_fallback;
  options.fuse_unknown = fuse_unknown;
  for (const char* text : {"a", "b", "c", " ", "ä"}) tokens.add(text);
  Merges merges;
  for (const auto& [left, right] : small_merges()) {
    if (left == "\xC3") continue;
    merges.emplace_back(left, right);
    tokens.add(left + right);
  }
  for (int byte = 0; byte < 256 && byte_fallback; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(byte));
    tokens.add(name, TokenKind::byte);
  }
  Vocabulary vocabulary = tokens.vocabulary();
  auto model = std::make_unique<Bpe>(vocabulary, views_of(merges), options);
  return {std::move(tokens), std::move(vocabulary), std::move(model)};
}

// The same ranks where the vocabulary marks all characters of a word but the first, and the last.
[[nodiscard]] inline const Merges& small_marked_merges() {
  static const Merges merges = [] {
    Merges marked;
    for (const auto& [left, right] : small_merges()) {
      if (left == "\xC3") continue;
      for (const char* before : {"", "##"})
        for (const char* after : {"", "</w>"}) marked.emplace_back(before + left, "##" + right + after);
    }
    return marked;
  }();
  return merges;
}

[[nodiscard]] inline SmallBpe small_marked_bpe() {
  Tokens tokens;
  BpeOptions options;
  options.unknown = tokens.add("<unk>", TokenKind::unknown);
  options.continuing_prefix = "##";
  options.word_suffix = "</w>";
  for (const std::string text : {"a", "b", "c", " ", "ä"})
    for (const std::string before : {"", "##"})
      for (const std::string after : {"", "</w>"}) tokens.add(before + text + after);
  for (const auto& [left, right] : small_marked_merges()) {
    tokens.add(left);
    tokens.add(right);
    tokens.add(left + right.substr(2));
  }
  Vocabulary vocabulary = tokens.vocabulary();
  auto model = std::make_unique<Bpe>(vocabulary, views_of(small_marked_merges()), options);
  return {std::move(tokens), std::move(vocabulary), std::move(model)};
}

[[nodiscard]] inline std::vector<std::string> small_word_pieces() {
  return {"a",     "ab",   "aba", "b",   "c", "##a",   "##b", "##ab",
          "##bab", "##ba", "##c", "##ä", "ä", "abcab", "##cc"};
}

struct SmallModel {
  Vocabulary vocabulary;
  std::unique_ptr<WordModel> model;
};

// Token 0 is [UNK], the pieces follow.
[[nodiscard]] inline SmallModel small_word_piece(size_t most_characters) {
  Tokens tokens;
  tokens.add("[UNK]", TokenKind::unknown);
  for (const std::string& piece : small_word_pieces()) tokens.add(piece);
  Vocabulary vocabulary = tokens.vocabulary();
  WordPieceOptions options;
  options.most_characters = most_characters;
  auto model = make_word_piece_model(vocabulary, "##", options);
  return {std::move(vocabulary), std::move(model)};
}

[[nodiscard]] inline const std::map<std::string, double>& small_scores() {
  static const std::map<std::string, double> scores = {
      {"a", -3.1}, {"b", -3.3},  {"ab", -4.2}, {"aba", -6.05}, {"ba", -5.15}, {"abab", -7.7},
      {"c", -2.0}, {"bc", -5.9}, {"ä", -4.0},  {"cä", -4.4},   {"▁", -2.5},   {"▁a", -3.6}};
  return scores;
}

// Token 0 is <unk>; then the scored ones in order; then byte tokens if asked for.
[[nodiscard]] inline SmallModel small_unigram(bool byte_fallback) {
  Tokens tokens;
  std::vector<double> scores = {0.0};
  UnigramOptions options;
  options.unknown = tokens.add("<unk>", TokenKind::unknown);
  options.byte_fallback = byte_fallback;
  Trie trie;
  for (const auto& [text, score] : small_scores()) {
    trie.insert(text, tokens.add(text));
    scores.push_back(score);
    options.lowest_score = std::min(options.lowest_score, score);
  }
  for (int byte = 0; byte < 256 && byte_fallback; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(byte));
    tokens.add(name, TokenKind::byte);
  }
  Vocabulary vocabulary = tokens.vocabulary();
  auto model = std::make_unique<Unigram>(std::move(trie), scores, vocabulary, options);
  return {std::move(vocabulary), std::move(model)};
}

}  // namespace linnet::test
