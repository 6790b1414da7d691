// The loop that the plain formats share: one stored word per element, converted by a function.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace linnet {

template <class Word, class Convert>
void decode_words(std::span<const std::byte> bytes, std::span<float> values, Convert convert) {
  for (size_t i = 0; i < values.size(); ++i) {
    Word word;
    std::memcpy(&word, bytes.data() + i * sizeof word, sizeof word);
    values[i] = convert(word);
  }
}

template <class Word, class Convert>
void encode_words(std::span<const float> values, std::span<std::byte> bytes, Convert convert) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Word word = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof word, &word, sizeof word);
  }
}

}  // namespace linnet
