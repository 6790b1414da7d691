// A model as a GGUF file: what is in one stays, and a Llama model of transformers is described with GGUF's
// keys, names and order of rows.
#pragma once

#include <string>
#include <vector>

#include "files/model_files.h"
#include "files/quantize.h"

namespace linnet {

struct GgufModel {
  GgufContentsToWrite contents;    // refers to the tensors of the files it was made from
  std::vector<std::string> notes;  // what a GGUF file cannot say, in words for people
};

// Throws Error(model) for a folder that holds no Llama model, or one whose tokenizer GGUF has no name for.
[[nodiscard]] GgufModel describe_as_gguf(const ModelFiles& model);

}  // namespace linnet
