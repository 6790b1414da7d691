#include "text/tokenizer.h"

#include <algorithm>

#include "base/error.h"
#include "text/sentencepiece_bpe.h"

namespace linnet {

bool Tokenizer::is_control(Token token) const {
  if (!vocabulary_.contains(token)) {
    fail(ErrorKind::usage, "token ", token, " is not in the vocabulary of ", size(), " tokens");
  }
  const TokenKind kind = vocabulary_.kind(token);
  return kind == TokenKind::control || kind == TokenKind::unknown;
}

bool Tokenizer::ends_generation(Token token) const noexcept {
  return std::binary_search(end_of_generation().begin(), end_of_generation().end(), token);
}

std::unique_ptr<Tokenizer> make_tokenizer(const Metadata& metadata) {
  const std::string& kind = metadata.get_string("tokenizer.ggml.model");
  if (kind == "llama") return std::make_unique<SentencePieceBpe>(metadata);
  fail(ErrorKind::model, "the model's tokenizer is ", quoted_name(kind),
       ", which this version does not have; it has 'llama' (SentencePiece BPE)");
}

}  // namespace linnet
