// SentencePiece's precompiled character map: replacements of character sequences (usually a variant of NFKC),
// as a darts-clone double array and a block of texts. Read as hostile: no unit leads out of the array, no
// text out of the block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linnet {

class Charsmap {
 public:
  // Throws Error(model) when the sizes in it do not fit together.
  explicit Charsmap(std::string_view blob);

  struct Match {
    size_t bytes;  // of the text that is replaced
    std::string_view replacement;
  };
  [[nodiscard]] std::optional<Match> longest(std::string_view text) const;
  [[nodiscard]] std::optional<Match> shortest(std::string_view text) const;

  // SentencePiece: the longest key at each position.
  [[nodiscard]] std::string normalize(std::string_view text) const;
  // Hugging Face: a grapheme of less than six bytes as a whole, by the shortest key that begins it; else each
  // of its characters.
  [[nodiscard]] std::string normalize_graphemes(std::string_view text) const;

 private:
  template <class OnMatch>
  void for_each_prefix(std::string_view text, const OnMatch& on_match) const;
  void append_replaced(std::string_view part, std::string& into) const;

  std::vector<uint32_t> units_;
  std::string texts_;  // each ends with NUL
};

}  // namespace linnet
