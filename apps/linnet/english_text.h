// English to measure tokenizers with, of any length: made up by a fixed rule, with the words, the punctuation
// and the share of rare words that prose has.
#pragma once

#include <cstddef>
#include <string>

namespace linnet::cli {

// The same text for the same size, whole sentences of at least that many bytes together.
[[nodiscard]] std::string english_text(size_t bytes);

}  // namespace linnet::cli
