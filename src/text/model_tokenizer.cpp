#include "text/model_tokenizer.h"

namespace linnet {
namespace {

[[nodiscard]] bool holds_gguf(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".gguf") return true;
  return false;
}

}  // namespace

std::unique_ptr<Tokenizer> make_tokenizer(const ModelFiles& model) {
  return model.folder ? make_tokenizer_from_folder(*model.folder) : make_tokenizer(model.tensors.metadata());
}

std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& model) {
  std::error_code ignored;
  if (std::filesystem::is_directory(model, ignored)) {
    // The files of a tokenizer need no weights; a folder without them may still hold GGUF.
    const bool has_files = std::filesystem::exists(model / "tokenizer.json", ignored) ||
                           std::filesystem::exists(model / "vocab.txt", ignored);
    return has_files || !holds_gguf(model) ? make_tokenizer_from_folder(model)
                                           : make_tokenizer(open_model(model));
  }
  if (model.extension() == ".json" || model.extension() == ".safetensors")
    return make_tokenizer_from_folder(model.has_parent_path() ? model.parent_path() : ".");
  return make_tokenizer(open_model(model));
}

}  // namespace linnet
