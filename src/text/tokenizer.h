// Text to tokens and tokens to bytes. One class per kind of tokenizer; make_tokenizer() chooses by what the
// model's metadata says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/metadata.h"
#include "text/encode_work.h"
#include "text/vocabulary.h"

namespace linnet {

struct EncodeOptions {
  bool add_special = true;     // BOS and EOS where the model's metadata asks for them
  bool parse_special = false;  // control tokens written out in the text ("<s>") become those tokens:
                               // conversations through a template only, never a plain text
  bool truncate = true;        // to the length that the model's files give, where they give one
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // "byte-level BPE", "WordPiece" and the like.
  [[nodiscard]] virtual std::string_view kind() const noexcept = 0;

  // Any bytes are accepted; the cost is n log n in their number.
  [[nodiscard]] std::vector<Token> encode(std::string_view text, const EncodeOptions& options = {}) const;
  // The same, with its steps added to `work`.
  [[nodiscard]] virtual std::vector<Token> encode(std::string_view text, const EncodeOptions& options,
                                                  EncodeWork& work) const = 0;

  // The bytes that a token stands for: for a normal token text (a leading space included), for a byte token
  // one byte, perhaps part of a character; for a control token its name. Throws Error(usage) for an id out of
  // range.
  [[nodiscard]] virtual std::string piece(Token token) const = 0;

  // True iff the model's own library takes special tokens that are written out in a text for those tokens, as
  // Hugging Face's does. GGUF files do not say; there it is the caller's choice alone.
  [[nodiscard]] virtual bool parses_special() const noexcept { return false; }

  // True iff encode() put a space before the text that decoding must take away again.
  [[nodiscard]] virtual bool adds_leading_space() const = 0;
  // True iff a token that ends a word stands for the space after it too, which is none at the end of the
  // text.
  [[nodiscard]] virtual bool adds_trailing_space() const { return false; }

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

// From a Hugging Face folder: tokenizer.json, or vocab.txt of a BERT model, with what tokenizer_config.json,
// special_tokens_map.json, generation_config.json and sentence_bert_config.json add. Throws Error(model) that
// names the file and what in it is missing, wrong or not supported.
[[nodiscard]] std::unique_ptr<Tokenizer> make_tokenizer_from_folder(const std::filesystem::path& folder);

// Of whatever open_model() takes (files/model_files.h), or of the folder that a .json file is in; a folder
// with a tokenizer needs no weights for it.
[[nodiscard]] std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& model);

}  // namespace linnet
