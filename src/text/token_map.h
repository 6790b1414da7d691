// Hash tables for the inner loops of tokenizers: a text to its token, a pair of tokens to what they merge
// into. Open addressing, built once, then only read.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "text/token.h"

namespace linnet {

// The finishing step of SplitMix64: every bit of the input changes every bit of the result.
[[nodiscard]] inline uint64_t mixed(uint64_t value) noexcept {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

[[nodiscard]] inline uint64_t hash_of(std::string_view text) noexcept {
  uint64_t hash = text.size() * 0x9E3779B97F4A7C15u;
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = mixed(hash ^ word);
  }
  uint64_t word = 0;
  if (left > 0) std::memcpy(&word, at, left);
  return mixed(hash ^ word ^ 0x5851F42D4C957F2Du);
}

// Texts must outlive the map.
class TokenMap {
 public:
  explicit TokenMap(size_t most_tokens)
      : slots_(std::bit_ceil(2 * most_tokens + 2)), mask_(slots_.size() - 1) {}

  // The first of several with one text stays.
  void insert(std::string_view text, Token token) {
    Slot& slot = slots_[index_of(text)];
    if (slot.token < 0) slot = {text, token};
  }
  [[nodiscard]] std::optional<Token> find(std::string_view text) const {
    const Slot& slot = slots_[index_of(text)];
    return slot.token < 0 ? std::nullopt : std::optional(slot.token);
  }

 private:
  struct Slot {
    std::string_view text;
    Token token = -1;
  };
  [[nodiscard]] size_t index_of(std::string_view text) const {
    size_t index = hash_of(text) & mask_;
    while (slots_[index].token >= 0 && slots_[index].text != text) index = (index + 1) & mask_;
    return index;
  }

  std::vector<Slot> slots_;
  size_t mask_;
};

struct Merge {
  uint32_t rank;
  Token result;
};

class MergeMap {
 public:
  explicit MergeMap(size_t most_merges)
      : slots_(std::bit_ceil(2 * most_merges + 2)), mask_(slots_.size() - 1) {}

  // The last of several for one pair stays, as in tokenizer.json's own reader.
  void insert(Token left, Token right, Merge merge) {
    Slot& slot = slots_[index_of(key_of(left, right))];
    slot = {key_of(left, right), merge};
  }
  // Null if they do not merge.
  [[nodiscard]] const Merge* find(Token left, Token right) const noexcept {
    const Slot& slot = slots_[index_of(key_of(left, right))];
    return slot.key == kEmpty ? nullptr : &slot.merge;
  }

 private:
  static constexpr uint64_t kEmpty = UINT64_MAX;  // no pair: tokens are not negative
  struct Slot {
    uint64_t key = kEmpty;
    Merge merge{};
  };
  [[nodiscard]] static uint64_t key_of(Token left, Token right) noexcept {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  }
  [[nodiscard]] size_t index_of(uint64_t key) const noexcept {
    size_t index = mixed(key) & mask_;
    while (slots_[index].key != kEmpty && slots_[index].key != key) index = (index + 1) & mask_;
    return index;
  }

  std::vector<Slot> slots_;
  size_t mask_;
};

}  // namespace linnet
