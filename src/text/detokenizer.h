// Tokens to text as they come: gives out what is certain, never half a character.
#pragma once

#include <span>
#include <string>

#include "text/tokenizer.h"

namespace linnet {

struct DetokenizeOptions {
  bool continues_text = false;  // text came before: keep the space that the first token may begin with
  bool show_control = false;    // control tokens appear under their names instead of vanishing
};

class Detokenizer {
 public:
  // The tokenizer must outlive this object.
  explicit Detokenizer(const Tokenizer& tokenizer, const DetokenizeOptions& options = {});

  // The text that is certain now, valid UTF-8: each byte that belongs to no character becomes U+FFFD.
  [[nodiscard]] std::string push(Token token);
  // What was held back; the object is then as new.
  [[nodiscard]] std::string finish();

 private:
  const Tokenizer& tokenizer_;
  DetokenizeOptions options_;
  bool at_start_;             // nothing was produced yet and an added space is to be dropped
  std::string pending_;       // the beginning of a character, at most 3 bytes
  bool holds_space_ = false;  // which is text only if more comes
};

// All at once.
[[nodiscard]] std::string detokenize(const Tokenizer& tokenizer, std::span<const Token> tokens,
                                     const DetokenizeOptions& options = {});

}  // namespace linnet
