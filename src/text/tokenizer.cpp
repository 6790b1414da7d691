#include "text/tokenizer.h"

#include <algorithm>

#include "base/error.h"
#include "base/quoted.h"
#include "text/gguf_tokenizers.h"
#include "text/sentencepiece_bpe.h"

namespace linnet {

std::vector<Token> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  EncodeWork ignored;
  return encode(text, options, ignored);
}

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
  if (kind == "gpt2") return make_byte_level_bpe(metadata);
  if (kind == "bert") return make_word_piece(metadata);
  if (kind == "t5") return make_unigram(metadata);
  fail(ErrorKind::model, "the model's tokenizer is ", quoted_name(kind),
       ", which this version does not have; it has 'llama' (SentencePiece BPE), 'gpt2' (byte-level BPE), "
       "'bert' (WordPiece) and 't5' (SentencePiece unigram)");
}

}  // namespace linnet
