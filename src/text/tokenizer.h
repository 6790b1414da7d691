// Text to tokens and tokens to bytes. One class per kind of tokenizer; make_tokenizer() chooses by what the
// model's metadata says.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/metadata.h"
#include "text/vocabulary.h"

namespace linnet {

struct EncodeOptions {
  bool add_special = true;     // BOS and EOS where the model's metadata asks for them
  bool parse_special = false;  // control tokens written out in the text ("<s>") become those tokens:
                               // templates only, never a user's own text
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Any bytes are accepted; the cost is n log n in their number.
  [[nodiscard]] virtual std::vector<Token> encode(std::string_view text,
                                                  const EncodeOptions& options = {}) const = 0;

  // The bytes that a token stands for: for a normal token text (a leading space included), for a byte token
  // one byte, perhaps part of a character; for a control token its name. Throws Error(usage) for an id out of
  // range.
  [[nodiscard]] virtual std::string piece(Token token) const = 0;

  // True iff encode() put a space before the text that decoding must take away again.
  [[nodiscard]] virtual bool adds_leading_space() const = 0;

  [[nodiscard]] const Vocabulary& vocabulary() const noexcept { return vocabulary_; }
  [[nodiscard]] size_t size() const noexcept { return vocabulary_.size(); }
  [[nodiscard]] std::optional<Token> bos() const noexcept { return vocabulary_.bos(); }
  [[nodiscard]] std::optional<Token> eos() const noexcept { return vocabulary_.eos(); }
  [[nodiscard]] std::optional<Token> unknown() const noexcept { return vocabulary_.unknown(); }
  // True iff the token is no text: control and unknown ones. Throws Error(usage) for an id out of range.
  [[nodiscard]] bool is_control(Token token) const;
  // The tokens that end a generation, in ascending order: EOS, end of turn and the like.
  [[nodiscard]] const std::vector<Token>& end_of_generation() const noexcept {
    return vocabulary_.end_of_generation();
  }
  [[nodiscard]] bool ends_generation(Token token) const noexcept;

 protected:
  explicit Tokenizer(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

 private:
  Vocabulary vocabulary_;
};

// From the keys tokenizer.ggml.*; copies what it needs, so the file may be closed. Throws Error(model) when
// they are missing, contradict each other or describe a kind of tokenizer that this version does not have.
[[nodiscard]] std::unique_ptr<Tokenizer> make_tokenizer(const Metadata& metadata);

}  // namespace linnet
