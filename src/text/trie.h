// Texts as paths of bytes, to find all those that begin at a position in one walk. Built once, then only
// read.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/token.h"

namespace linnet {

class Trie {
 public:
  using Node = uint32_t;
  static constexpr Node kRoot = 0;
  static constexpr Node kNone = UINT32_MAX;

  Trie();
  // The last of several tokens with one text stays. The empty text is ignored.
  void insert(std::string_view text, Token token);

  [[nodiscard]] Node child(Node node, unsigned char byte) const noexcept {
    if (node == kRoot) return first_[byte];
    return edges_[slot_of(key_of(node, byte))].child;
  }
  // kNoToken if no text ends here.
  [[nodiscard]] Token token(Node node) const noexcept { return tokens_[node]; }

 private:
  struct Edge {
    uint64_t key = 0;  // 0 is no key: the root has its own table
    Node child = kNone;
  };
  [[nodiscard]] static uint64_t key_of(Node node, unsigned char byte) noexcept {
    return static_cast<uint64_t>(node) << 8 | byte;
  }
  [[nodiscard]] size_t slot_of(uint64_t key) const noexcept;
  void grow();

  std::array<Node, 256> first_;
  std::vector<Token> tokens_;  // by node
  std::vector<Edge> edges_;    // open addressing; a power of two
  size_t used_ = 0;
};

}  // namespace linnet
