// The tokenizer of a model, wherever its files keep it.
#pragma once

#include <memory>

#include "files/model_files.h"
#include "text/tokenizer.h"

namespace linnet {

// Throws Error(model) as make_tokenizer() and make_tokenizer_from_folder() do.
[[nodiscard]] std::unique_ptr<Tokenizer> make_tokenizer(const ModelFiles& model);

}  // namespace linnet
