// The words that a text has had already, with their tokens: most words of a text come again and again, and a
// look here is several times cheaper than a walk through a vocabulary. Made for one encode(), so that threads
// share nothing.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "text/encode_work.h"
#include "text/token.h"

namespace linnet {

class WordCache {
 public:
  // Room for the words of a text of so many bytes.
  explicit WordCache(size_t text_bytes)
      : entries_(std::min(std::bit_floor(text_bytes / kBytesPerEntry), kMostEntries)),
        shift_(64 - std::countr_zero(entries_.size())) {}

  // Appends the word's tokens: those it had before, or what encode_word() appends. The tokens must depend on
  // nothing but the word.
  template <class EncodeWord>
  void encode(std::string_view word, std::vector<Token>& into, EncodeWork& work,
              const EncodeWord& encode_word) {
    if (entries_.size() < 2 || word.size() > kLongestWord || word.empty()) {
      encode_word();
      return;
    }
    const Key key = key_of(word);
    Entry& entry = entries_[index_of(key)];
    ++work.lookups;
    if (entry.head == key.head && entry.tail == key.tail && entry.size == key.size) {
      for (size_t i = 0; i < entry.count; ++i) into.push_back(entry.tokens[i]);
      return;
    }
    const size_t before = into.size();
    encode_word();
    const size_t count = into.size() - before;
    if (count > kMostTokens) return;
    entry = {key.head, key.tail, key.size, static_cast<uint16_t>(count), {}};
    std::copy(into.begin() + static_cast<std::ptrdiff_t>(before), into.end(), entry.tokens.begin());
  }

 private:
  // 256 KiB, which the second-level cache holds.
  static constexpr size_t kMostEntries = 8192;
  static constexpr size_t kBytesPerEntry = 16;
  static constexpr size_t kLongestWord = 16;
  static constexpr size_t kMostTokens = 3;

  // The word itself: its first and its last bytes, which overlap where it is short.
  struct Key {
    uint64_t head, tail;
    uint16_t size;
  };
  struct Entry {
    uint64_t head = 0, tail = 0;
    uint16_t size = 0;  // 0: nothing is there
    uint16_t count = 0;
    std::array<Token, kMostTokens> tokens{};
  };
  static_assert(sizeof(Entry) == 32);

  template <class Integer>
  [[nodiscard]] static Integer load(const char* at) noexcept {
    Integer value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  [[nodiscard]] static Key key_of(std::string_view word) noexcept {
    const char* const begin = word.data();
    const char* const end = begin + word.size();
    const auto size = static_cast<uint16_t>(word.size());
    if (size >= 8) return {load<uint64_t>(begin), load<uint64_t>(end - 8), size};
    if (size >= 4) return {load<uint32_t>(begin), load<uint32_t>(end - 4), size};
    const auto byte = [&](int i) { return static_cast<uint64_t>(static_cast<unsigned char>(begin[i])); };
    return {byte(0) | byte(size / 2) << 8, byte(size - 1), size};
  }
  [[nodiscard]] size_t index_of(const Key& key) const noexcept {
    const uint64_t mixed = (key.head ^ std::rotl(key.tail, 29) ^ key.size) * 0x9E3779B97F4A7C15u;
    return static_cast<size_t>((mixed ^ mixed >> 32) * 0xBF58476D1CE4E5B9u >> shift_);
  }

  std::vector<Entry> entries_;  // as many as a power of two
  int shift_;
};

}  // namespace linnet
