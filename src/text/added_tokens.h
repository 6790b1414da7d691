// Tokens that are cut out of a text as a whole, before (or, `normalized`, after) normalization:
// tokenizer.json's added tokens with their flags, and the user-defined and control tokens of a GGUF file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/normalizer.h"
#include "text/special_tokens.h"

namespace linnet {

struct AddedToken {
  std::string text;
  Token token = 0;
  bool special = false;      // matched only when special tokens are parsed
  bool single_word = false;  // no letters or digits before or after it
  bool lstrip = false;       // takes the white space before it along
  bool rstrip = false;       // and after it
  bool normalized = false;   // looked for in the normalized text, normalized itself
};

class AddedTokens {
 public:
  AddedTokens() : AddedTokens({}, {}) {}
  AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer);
  // Moving keeps the texts in place that the finders refer to; copying would not.
  AddedTokens(AddedTokens&&) = default;
  AddedTokens& operator=(AddedTokens&&) = default;

  struct Segment {
    std::string_view text;       // empty for a token
    std::optional<Token> token;  // or the text is still to be encoded
  };
  [[nodiscard]] std::vector<Segment> split_raw(std::string_view text, bool parse_special) const;
  [[nodiscard]] std::vector<Segment> split_normalized(std::string_view text, bool parse_special) const;

 private:
  [[nodiscard]] std::vector<Segment> split(const SpecialTokens& finder, std::string_view text,
                                           bool parse_special) const;

  std::vector<AddedToken> tokens_;
  std::vector<std::string> normalized_texts_;
  std::unordered_map<Token, size_t> index_;  // token → position in tokens_
  SpecialTokens raw_;
  SpecialTokens normalized_;
};

}  // namespace linnet
