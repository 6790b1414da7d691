// Steps of one encode(), for tests of its cost.
#pragma once

#include <cstdint>

namespace linnet {

struct EncodeWork {
  uint64_t lookups = 0;     // of a word, a character or a pair of symbols in the vocabulary
  uint64_t candidates = 0;  // merges that went through a heap or were compared
  uint64_t scanned = 0;     // characters that a scanner or a pattern looked at, nodes of a trie
  [[nodiscard]] uint64_t total() const noexcept { return lookups + candidates + scanned; }
};

}  // namespace linnet
