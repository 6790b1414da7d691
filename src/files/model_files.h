// A model as it lies on disk: its weights, and the folder with what describes them where the weights do not
// describe themselves.
#pragma once

#include <filesystem>
#include <optional>

#include "files/tensor_file.h"

namespace linnet {

struct ModelFiles {
  // A GGUF file says everything itself.
  ModelFiles(TensorFile gguf) : tensors(std::move(gguf)) {}  // NOLINT: it is a whole model
  ModelFiles(TensorFile safetensors, std::filesystem::path described_by)
      : tensors(std::move(safetensors)), folder(std::move(described_by)) {}

  TensorFile tensors;
  // A Hugging Face folder with config.json, tokenizer.json and so on; nothing for GGUF.
  std::optional<std::filesystem::path> folder;
};

// Opens a GGUF file or any part of one, a safetensors file, an index of several, or a folder that holds one
// model of these; safetensors come before GGUF there. Nothing but headers is read. Throws Error(model) that
// says what is missing, or what there is to choose from.
[[nodiscard]] ModelFiles open_model(const std::filesystem::path& path);

}  // namespace linnet
