// Compares the models with their slow versions on one text; used by tests with random texts and by the fuzz
// targets. Each gives a message where they differ and nothing where they agree.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "text/slow_tokenizers.h"
#include "text/small_models.h"

namespace linnet::test {

[[nodiscard]] inline std::vector<Token> encoded(const WordModel& model, std::string_view word) {
  std::vector<Token> tokens;
  EncodeWork work;
  if (!word.empty()) model.encode(word, tokens, work);
  return tokens;
}

[[nodiscard]] inline std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += '[' + text + ']';
  return result;
}

[[nodiscard]] inline std::string check_byte_bpe(std::string_view word) {
  static const SmallBpe bpe = small_byte_bpe();
  std::vector<std::string> bytes;
  for (const char byte : word) bytes.emplace_back(1, byte);
  const std::vector<std::string> expected = slow_bpe(bytes, small_merges());
  std::vector<std::string> got;
  for (const Token token : encoded(*bpe.model, word))
    got.push_back(from_byte_alphabet(bpe.vocabulary.text(token)).value());
  return got == expected ? "" : "byte-level BPE: got " + joined(got) + ", expected " + joined(expected);
}

[[nodiscard]] inline std::string check_character_bpe(std::string_view word) {
  static const SmallBpe bpe = small_character_bpe(true);
  Merges merges;
  for (const auto& merge : small_merges())
    if (merge.first != "\xC3") merges.push_back(merge);
  std::vector<std::string> symbols;
  for (const std::string& character : characters_of(word)) {
    if (bpe.vocabulary.find(character)) {
      symbols.push_back(character);
      continue;
    }
    for (const char byte : character) {
      char name[8];
      std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(static_cast<unsigned char>(byte)));
      symbols.emplace_back(name);
    }
  }
  const std::vector<std::string> expected = slow_bpe(symbols, merges);
  std::vector<std::string> got;
  for (const Token token : encoded(*bpe.model, word)) got.emplace_back(bpe.vocabulary.text(token));
  return got == expected ? "" : "BPE: got " + joined(got) + ", expected " + joined(expected);
}

[[nodiscard]] inline std::string check_marked_bpe(std::string_view word) {
  static const SmallBpe bpe = small_marked_bpe();
  std::vector<std::string> symbols = characters_of(word);
  for (size_t i = 0; i < symbols.size(); ++i) {
    const bool is_last = i + 1 == symbols.size();
    symbols[i] = (i > 0 ? "##" : "") + symbols[i] + (is_last ? "</w>" : "");
    if (!bpe.vocabulary.find(symbols[i])) symbols[i] = "<unk>";
  }
  const std::vector<std::string> expected = slow_bpe(symbols, small_marked_merges(), 2);
  std::vector<std::string> got;
  for (const Token token : encoded(*bpe.model, word)) got.emplace_back(bpe.vocabulary.text(token));
  return got == expected ? "" : "BPE with marks: got " + joined(got) + ", expected " + joined(expected);
}

[[nodiscard]] inline std::string check_word_piece(std::string_view word) {
  constexpr size_t kMostCharacters = 12;
  static const SmallModel small = small_word_piece(kMostCharacters);
  std::vector<std::string> expected = slow_word_piece(word, small_word_pieces(), kMostCharacters);
  if (expected.empty() && !word.empty()) expected = {"[UNK]"};
  std::vector<std::string> got;
  for (const Token token : encoded(*small.model, word)) got.emplace_back(small.vocabulary.text(token));
  return got == expected ? "" : "WordPiece: got " + joined(got) + ", expected " + joined(expected);
}

// Compares scores: of cuts that score alike either is right.
[[nodiscard]] inline std::string check_unigram(std::string_view word) {
  static const SmallModel small = small_unigram(true);
  constexpr double kUnknownScore = -7.7 - 10;
  double score = 0;
  std::string bytes;
  const std::vector<Token> tokens = encoded(*small.model, word);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view text = small.vocabulary.text(tokens[i]);
    const auto value = byte_token_value(text);
    if (!value) score += small_scores().at(std::string(text));
    bytes += value ? std::string(1, static_cast<char>(*value)) : std::string(text);
  }
  if (bytes != word) return "unigram: the tokens spell " + bytes;
  // Each character that became bytes cost the unknown score.
  std::string_view rest = word;
  for (size_t i = 0; i < tokens.size();) {
    const std::string_view text = small.vocabulary.text(tokens[i]);
    const size_t size = byte_token_value(text) ? decode(rest).bytes : text.size();
    if (byte_token_value(text)) score += kUnknownScore;
    i += byte_token_value(text) ? size : 1;
    rest.remove_prefix(size);
  }
  const double best = slow_unigram_score(word, small_scores(), kUnknownScore);
  const bool alike = std::abs(score - best) < 1e-9 * (1 + std::abs(best));
  return alike
             ? ""
             : "unigram: scores " + std::to_string(score) + " where " + std::to_string(best) + " is possible";
}

}  // namespace linnet::test
