// SentencePiece's BPE with byte fallback, as Llama and Phi-3 use it (tokenizer.ggml.model = "llama"): spaces
// become ▁, adjacent symbols merge in order of the merged token's score, and characters without a token
// become byte tokens.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/special_tokens.h"
#include "text/tokenizer.h"

namespace linnet {

// Steps of one encode(), for tests of its cost.
struct EncodeWork {
  uint64_t lookups = 0;     // of a pair of symbols in the vocabulary
  uint64_t candidates = 0;  // merges that went through the heap
};

class SentencePieceBpe final : public Tokenizer {
 public:
  explicit SentencePieceBpe(const Metadata& metadata);

  [[nodiscard]] std::vector<Token> encode(std::string_view text,
                                          const EncodeOptions& options = {}) const override;
  [[nodiscard]] std::vector<Token> encode(std::string_view text, const EncodeOptions& options,
                                          EncodeWork& work) const;
  [[nodiscard]] std::string piece(Token token) const override;
  [[nodiscard]] bool adds_leading_space() const override { return add_space_prefix_; }

 private:
  // Text between special tokens, not yet escaped.
  void encode_plain(std::string_view text, bool space_before, std::vector<Token>& into,
                    EncodeWork& work) const;
  // The token of a symbol that BPE may produce: control, unknown and byte tokens are no text.
  [[nodiscard]] std::optional<Token> mergeable(std::string_view symbol) const;
  void append_bytes(std::string_view symbol, std::vector<Token>& into) const;

  bool add_space_prefix_;
  std::array<Token, 256> byte_tokens_;  // -1 where there is none
  SpecialTokens always_;                // user-defined ones
  SpecialTokens when_parsing_;          // these and the control tokens
};

}  // namespace linnet
