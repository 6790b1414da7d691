#include "text/word_level.h"

#include "base/error.h"
#include "base/quoted.h"

namespace linnet {

WordLevel::WordLevel(const Vocabulary& vocabulary, std::optional<Token> unknown)
    : tokens_(vocabulary.size()), unknown_(unknown) {
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto token = static_cast<Token>(i);
    const TokenKind kind = vocabulary.kind(token);
    if (kind == TokenKind::normal || kind == TokenKind::user_defined)
      tokens_.insert(vocabulary.text(token), token);
  }
}

void WordLevel::encode(std::string_view word, std::vector<Token>& into, EncodeWork& work) const {
  ++work.lookups;
  work.scanned += word.size();
  const auto token = tokens_.find(word);
  if (!token && !unknown_)
    fail(ErrorKind::model, "the vocabulary has no token for ", quoted_name(word),
         " and none for unknown words");
  into.push_back(token ? *token : *unknown_);
}

}  // namespace linnet
