// The chat template that comes with a model, and the tokens it may print. text/jinja renders it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "files/metadata.h"
#include "files/model_files.h"

namespace linnet {

struct ChatTemplate {
  std::string source;
  std::string tool_use;  // for requests with tools, where the model has one of its own for them; else empty
  std::optional<std::string> bos_token, eos_token;

  [[nodiscard]] const std::string& source_for(bool with_tools) const noexcept {
    return with_tools && !tool_use.empty() ? tool_use : source;
  }
};

// Of a GGUF file: tokenizer.chat_template, and tokenizer.chat_template.tool_use. Throws Error(model) if it
// has none.
[[nodiscard]] ChatTemplate find_chat_template(const Metadata& metadata);

// Of a Hugging Face folder: chat_template.jinja, else what tokenizer_config.json says. Throws Error(model) if
// there is none, or none of that name for the case without tools.
[[nodiscard]] ChatTemplate find_chat_template(const std::filesystem::path& folder);

// Of a model, wherever its files keep it; nothing if it has none. Throws Error(model) for one that cannot be
// read.
[[nodiscard]] std::optional<ChatTemplate> chat_template_of(const ModelFiles& model);

// A file that is a template, which knows no tokens. Throws Error(model).
[[nodiscard]] ChatTemplate read_chat_template(const std::filesystem::path& file);

}  // namespace linnet
