// What can be said about a model from its files' headers: gathered once, printed as text or JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/model_files.h"
#include "text/tokenizer.h"

namespace linnet::cli {

struct TokenizerReport {
  std::unique_ptr<Tokenizer> tokenizer;  // null where it could not be read
  std::string kind;
  std::string problem;  // why not
};

struct ModelReport {
  explicit ModelReport(const std::filesystem::path& path);

  ModelFiles model;
  std::string format;  // "GGUF version 3", "safetensors"
  // Of a folder: the settings files that are there, by name, as they are.
  std::vector<std::pair<std::string, nlohmann::ordered_json>> settings;
  TokenizerReport tokenizer;
  std::optional<std::string> chat_template;

  [[nodiscard]] size_t tensor_bytes() const;
};

// A value of the metadata for people, at most a line, and as JSON; of an array the first few.
[[nodiscard]] std::string value_line(const MetadataValue& value);
[[nodiscard]] nlohmann::ordered_json value_json(const MetadataValue& value);

}  // namespace linnet::cli
