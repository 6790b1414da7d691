// tokenizer.ggml.pre: which pre-tokenizer a byte-level GGUF vocabulary was trained with, by the names that
// llama.cpp's converter writes.
#pragma once

#include <string_view>

#include "text/normalizer.h"
#include "text/pre_tokenizer.h"

namespace linnet {

struct NamedPreTokenizer {
  PreTokenizer pre_tokenizer;
  Normalizer normalizer;
  bool ignore_merges = false;
  bool add_bos = false;  // where the file does not say
};

// Throws Error(model) for a name that is not known: a wrong guess would give wrong tokens silently.
[[nodiscard]] NamedPreTokenizer make_named_pre_tokenizer(std::string_view name);

}  // namespace linnet
