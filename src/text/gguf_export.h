// The tokenizer of a Hugging Face folder as the keys tokenizer.ggml.* of a GGUF file. GGUF names a few kinds
// of tokenizer; what is none of them is refused by name, never written as one that is nearly the same.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "files/json_node.h"
#include "files/metadata.h"
#include "text/tokenizer_json.h"

namespace linnet {

// Sets the keys, the chat template's too. `rows` are those of the model's table: each gets a token. Returns
// what a GGUF file cannot say although the text of the tokens is the same, in words for people. Throws
// Error(model) that names the place in tokenizer.json.
std::vector<std::string> export_tokenizer(const std::filesystem::path& folder, size_t rows, Metadata& into);

// The two kinds, each in its own file: what is special to them.
void export_byte_level(const JsonNode& root, Metadata& into, std::vector<std::string>& notes);
void export_sentencepiece(const JsonNode& root, const JsonVocabulary& vocabulary, size_t rows, Metadata& into,
                          std::vector<std::string>& notes);

}  // namespace linnet
