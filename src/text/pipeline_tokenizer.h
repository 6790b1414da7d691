// A tokenizer put together from parts, as tokenizer.json describes one: added tokens are cut out, what is
// left is normalized, cut into words, and a model makes tokens of each; then tokens are put around and the
// whole is truncated. Byte-level BPE, WordPiece and unigram of GGUF files are such pipelines too.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "text/added_tokens.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer.h"
#include "text/word_cache.h"
#include "text/word_model.h"

namespace linnet {

// How a vocabulary writes the text of a normal token.
enum class PieceStyle : uint8_t {
  plain,       // as it is
  byte_level,  // in GPT-2's byte alphabet
  metaspace,   // with a character for the space
  word_piece,  // a beginning of a word stands after a space, a continuation does not
};

struct PieceFormat {
  PieceStyle style = PieceStyle::plain;
  std::string marker;  // metaspace: what stands for a space; word_piece: what marks one kind of token
  bool marks_beginnings =
      false;               // word_piece: the marker is on beginnings (GGUF's ▁), not on continuations (##)
  bool cleans_up = false;  // word_piece: no space before . ? ! ,
  bool drops_first_space = false;  // decoding takes one away from the beginning of the text
  bool drops_last_space = false;   // or from its end
};

struct Truncation {
  std::optional<size_t> most_tokens;  // with those that are put around
  bool from_left = false;
};

struct Pipeline {
  AddedTokens added;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  std::unique_ptr<WordModel> model;
  std::vector<Token> before, after;  // put around a text
  Truncation truncation;
  PieceFormat pieces;
  bool parses_special = false;  // see Tokenizer
};

class PipelineTokenizer final : public Tokenizer {
 public:
  // The model may refer to the vocabulary's texts: moving the vocabulary keeps them in place.
  PipelineTokenizer(Vocabulary vocabulary, Pipeline pipeline)
      : Tokenizer(std::move(vocabulary)), pipeline_(std::move(pipeline)) {}

  using Tokenizer::encode;
  [[nodiscard]] std::vector<Token> encode(std::string_view text, const EncodeOptions& options,
                                          EncodeWork& work) const override;
  [[nodiscard]] std::string_view kind() const noexcept override { return pipeline_.model->name(); }
  [[nodiscard]] std::string piece(Token token) const override;
  [[nodiscard]] bool parses_special() const noexcept override { return pipeline_.parses_special; }
  [[nodiscard]] bool adds_leading_space() const override { return pipeline_.pieces.drops_first_space; }

  [[nodiscard]] bool adds_trailing_space() const override { return pipeline_.pieces.drops_last_space; }

  [[nodiscard]] const Pipeline& pipeline() const noexcept { return pipeline_; }

 private:
  void encode_text(std::string_view text, bool at_start, bool parse_special, WordCache& seen,
                   std::vector<Token>& into, EncodeWork& work) const;

  Pipeline pipeline_;
};

}  // namespace linnet
