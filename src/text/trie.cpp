#include "text/trie.h"

#include <utility>

#include "text/token_map.h"

namespace linnet {

Trie::Trie() : tokens_(1, kNoToken), edges_(64) {
  first_.fill(kNone);
}

size_t Trie::slot_of(uint64_t key) const noexcept {
  const size_t mask = edges_.size() - 1;
  size_t slot = mixed(key) & mask;
  while (edges_[slot].key != 0 && edges_[slot].key != key) slot = (slot + 1) & mask;
  return slot;
}

void Trie::grow() {
  std::vector<Edge> old(edges_.size() * 2);
  std::swap(old, edges_);
  for (const Edge& edge : old)
    if (edge.key != 0) edges_[slot_of(edge.key)] = edge;
}

void Trie::insert(std::string_view text, Token token) {
  if (text.empty()) return;
  Node node = kRoot;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    Node next = child(node, byte);
    if (next == kNone) {
      next = static_cast<Node>(tokens_.size());
      tokens_.push_back(kNoToken);
      if (node == kRoot) {
        first_[byte] = next;
      } else {
        if (2 * ++used_ > edges_.size()) grow();
        edges_[slot_of(key_of(node, byte))] = {key_of(node, byte), next};
      }
    }
    node = next;
  }
  tokens_[node] = token;
}

}  // namespace linnet
