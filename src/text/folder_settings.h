// What several readers of a Hugging Face folder need: settings files that may be absent, and how they write a
// special token.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "files/json_node.h"

namespace linnet {

// An object of settings; empty where there is no such file.
[[nodiscard]] inline JsonFile read_settings_file(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? JsonFile(path) : JsonFile("{}", path.string());
}

// A token is written as its text or as an object with its flags; nothing for null.
[[nodiscard]] inline std::optional<std::string> special_token_text(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  return node.is_object() ? node["content"].string() : node.string();
}

// From tokenizer_config.json, else from special_tokens_map.json.
[[nodiscard]] inline std::optional<std::string> special_token_text(const JsonNode& config,
                                                                   const JsonNode& map,
                                                                   std::string_view name) {
  auto text = special_token_text(config[name]);
  return text ? text : special_token_text(map[name]);
}

}  // namespace linnet
