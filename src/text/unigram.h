// SentencePiece's unigram model: of all ways to cut a word into tokens the one with the highest sum of scores
// (Viterbi). A character without a token costs the lowest score less ten, as SentencePiece has it.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "text/trie.h"
#include "text/word_model.h"

namespace linnet {

struct UnigramOptions {
  std::optional<Token> unknown;  // without it a character without a token is left out
  bool byte_fallback = false;    // such a character becomes <0xNN> tokens, where there are all it needs
  double lowest_score = 0;       // of the vocabulary
};

class Unigram final : public WordModel {
 public:
  // Scores by token; those that are not in the trie are not used.
  Unigram(Trie trie, std::vector<double> scores, const Vocabulary& vocabulary, const UnigramOptions& options);

  [[nodiscard]] std::string_view name() const noexcept override { return "SentencePiece unigram"; }
  void encode(std::string_view word, std::vector<Token>& into, EncodeWork& work) const override;

 private:
  void append_unknown(std::string_view text, std::vector<Token>& into) const;

  Trie trie_;
  std::vector<double> scores_;
  UnigramOptions options_;
  std::array<Token, 256> bytes_;  // -1 where there is none
};

}  // namespace linnet
