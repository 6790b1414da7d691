// Writes a Llama model that exists as GGUF the way Hugging Face lays models out: config.json, tokenizer.json
// and safetensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "files/tensor_file.h"
#include "format/format.h"

namespace linnet::testing {

struct FolderOptions {
  uint32_t shards = 1;
  Format format = Format::f32;  // of the matrices
  bool misaligned = false;      // one byte before everything else
  std::string config = {};      // members of config.json that come after those of the model: ,"a":1
};

// The model's vocabulary is SentencePiece's. Metadata of Llama 3's scaling is not in GGUF: say it in
// `options.config`.
void write_hugging_face_folder(const std::filesystem::path& folder, const TensorFile& gguf,
                               const FolderOptions& options = {});

// tokenizer.json for a SentencePiece vocabulary, with its merges found as transformers' converter finds them.
[[nodiscard]] std::string tokenizer_json_of(const Metadata& gguf);

}  // namespace linnet::testing
