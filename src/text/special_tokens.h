// Finds tokens that are matched as a whole in raw text (user-defined and control tokens), before any merging.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace linnet {

class SpecialTokens {
 public:
  struct Special {
    std::string_view text;
    Token token;
  };

  // The vocabulary's texts must outlive this object (moving the vocabulary keeps them in place).
  SpecialTokens(const Vocabulary& vocabulary, const std::function<bool(TokenKind)>& matched);
  // The texts must outlive this object.
  explicit SpecialTokens(std::vector<Special> specials);

  struct Fragment {
    std::string_view text;       // before the token; may be empty
    std::optional<Token> token;  // nothing after the last one
  };

  // The text up to and including the first special token, the longest where several begin there; text is
  // advanced.
  [[nodiscard]] Fragment next(std::string_view& text) const;

 private:
  [[nodiscard]] const Special* longest_at(std::string_view text) const;

  std::vector<Special> sorted_;  // by text: those with a common beginning lie together
  std::array<std::pair<size_t, size_t>, 256> by_first_byte_{};  // ranges of sorted_
};

}  // namespace linnet
