// Reads a regular expression as tokenizers write it (Oniguruma's syntax) into a tree. What the matcher cannot
// run exactly is refused by name, never approximated: look-behind, look-ahead of more than one character,
// back references, word boundaries, POSIX brackets, set intersections, possessive groups, loops of what may
// be empty, and without regard to case whatever is not ASCII.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/character_set.h"

namespace linnet {

struct PatternNode {
  enum class Kind : uint8_t {
    set,       // one character of `set`
    sequence,  // the children one after the other; none: the empty text
    choice,    // the first child that leads to a match
    repeat,    // the child at least `least` times, at most `most`
    next_is,   // the next character is in `set`; nothing is consumed
    next_is_not,
    line_begin,
    line_end,
  };

  Kind kind = Kind::sequence;
  CharacterSet set;
  std::vector<PatternNode> children;
  uint32_t least = 0;
  uint32_t most = 0;  // kUnlimited
  bool lazy = false;
  bool possessive = false;  // of a set only

  static constexpr uint32_t kUnlimited = UINT32_MAX;
};

// Throws Error(model) that quotes the pattern and names the place.
[[nodiscard]] PatternNode parse_pattern(std::string_view source);

}  // namespace linnet
