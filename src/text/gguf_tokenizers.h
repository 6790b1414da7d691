// Tokenizers from the keys tokenizer.ggml.*, one function per value of tokenizer.ggml.model. Each throws
// Error(model) when keys are missing or contradict each other.
#pragma once

#include <memory>

#include "text/tokenizer.h"

namespace linnet {

[[nodiscard]] std::unique_ptr<Tokenizer> make_byte_level_bpe(const Metadata& metadata);  // "gpt2"
[[nodiscard]] std::unique_ptr<Tokenizer> make_word_piece(const Metadata& metadata);      // "bert"
[[nodiscard]] std::unique_ptr<Tokenizer> make_unigram(const Metadata& metadata);         // "t5"

}  // namespace linnet
