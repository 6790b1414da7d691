// The part of a tokenizer that makes tokens of one word: BPE, WordPiece, unigram.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/encode_work.h"
#include "text/vocabulary.h"

namespace linnet {

class WordModel {
 public:
  virtual ~WordModel() = default;
  // The algorithm, as people call it.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  // Appends the tokens of a word, which is not empty. May be called from several threads.
  virtual void encode(std::string_view word, std::vector<Token>& into, EncodeWork& work) const = 0;
};

// The value of a byte token's text, <0xNN>; nothing for any other text.
[[nodiscard]] inline std::optional<uint8_t> byte_token_value(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return std::nullopt;
  unsigned value = 0;
  for (const char digit : text.substr(3, 2)) {
    const bool decimal = digit >= '0' && digit <= '9';
    if (!decimal && !(digit >= 'A' && digit <= 'F')) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(decimal ? digit - '0' : digit - 'A' + 10);
  }
  return static_cast<uint8_t>(value);
}

}  // namespace linnet
