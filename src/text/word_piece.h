// WordPiece: the longest token that begins a word, then the longest that continues it, and so on; a word that
// cannot be covered is one unknown token.
#pragma once

#include <memory>
#include <string_view>

#include "text/trie.h"
#include "text/word_model.h"

namespace linnet {

struct WordPieceOptions {
  Token unknown = 0;
  size_t most_characters = 100;  // of a word; a longer one is unknown
};

class WordPiece final : public WordModel {
 public:
  // Beginnings of words and continuations are told apart by the caller, who knows how the vocabulary marks
  // them.
  WordPiece(Trie beginnings, Trie continuations, const WordPieceOptions& options)
      : beginnings_(std::move(beginnings)), continuations_(std::move(continuations)), options_(options) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "WordPiece"; }
  void encode(std::string_view word, std::vector<Token>& into, EncodeWork& work) const override;

 private:
  Trie beginnings_;
  Trie continuations_;
  WordPieceOptions options_;
};

// For a vocabulary that marks continuations with a prefix, "##" as a rule. Control tokens are no text.
[[nodiscard]] std::unique_ptr<WordModel> make_word_piece_model(const Vocabulary& vocabulary,
                                                               std::string_view prefix,
                                                               const WordPieceOptions& options);

}  // namespace linnet
