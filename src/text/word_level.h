// WordLevel: a word is a token or unknown; nothing is taken apart.
#pragma once

#include <optional>

#include "text/token_map.h"
#include "text/word_model.h"

namespace linnet {

class WordLevel final : public WordModel {
 public:
  // The vocabulary must outlive the model. Control tokens are no text. Without a token for unknown words,
  // encoding one is an Error(model).
  WordLevel(const Vocabulary& vocabulary, std::optional<Token> unknown);

  [[nodiscard]] std::string_view name() const noexcept override { return "WordLevel"; }
  void encode(std::string_view word, std::vector<Token>& into, EncodeWork& work) const override;

 private:
  TokenMap tokens_;
  std::optional<Token> unknown_;
};

}  // namespace linnet
