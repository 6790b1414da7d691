// A regular expression run without backtracking: all alternatives advance together, one character at a time,
// in order of preference (Pike's machine), so a match is the one that Perl or Oniguruma finds and costs at
// most the size of the program per character.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/character_set.h"
#include "text/pattern_parser.h"

namespace linnet {

struct TextRange {
  size_t begin, end;
};

class Pattern {
 public:
  // Throws Error(model) for what parse_pattern() refuses and for a program of more than kMostInstructions.
  explicit Pattern(std::string_view source);

  // The leftmost match that begins at or after `from`. Adds what it did to `steps`; throws Error(model) when
  // they go beyond `most_steps`: a hostile pattern can make every search read to the end of the text.
  [[nodiscard]] std::optional<TextRange> find(std::string_view text, size_t from, uint64_t& steps,
                                              uint64_t most_steps) const;
  // Enough for any pattern that does not read far beyond its matches: known ones take ten to forty steps for
  // a byte, depending on the length of words.
  [[nodiscard]] static uint64_t most_steps(size_t text_bytes) noexcept {
    constexpr uint64_t kStepsPerByte = 128;
    return (static_cast<uint64_t>(text_bytes) + 64) * kStepsPerByte;
  }

  // Those of known models have about a hundred.
  static constexpr size_t kMostInstructions = 256;

 private:
  struct Instruction {
    enum class Kind : uint8_t { set, fork, next_is, next_is_not, line_begin, line_end, match };
    Kind kind;
    uint32_t set = 0;     // of sets_
    uint32_t first = 0;   // where to go on
    uint32_t second = 0;  // fork: the less preferred way
  };
  struct Thread {
    uint32_t at;
    size_t begin;
  };
  struct Place;
  class Compiler;
  class Search;

  void find_first_characters();

  std::string source_;
  std::vector<CharacterSet> sets_;
  std::vector<Instruction> program_;
  std::bitset<128> may_begin_;  // with that ASCII character
};

}  // namespace linnet
