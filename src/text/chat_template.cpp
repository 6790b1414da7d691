#include "text/chat_template.h"

#include "base/error.h"
#include "base/mapped_file.h"
#include "files/json_node.h"
#include "text/folder_settings.h"

namespace linnet {
namespace {

using Path = std::filesystem::path;

constexpr size_t kLargest = size_t{1} << 20;  // bytes of a template; the largest published ones have 30 KB

[[nodiscard]] std::string read_text(const Path& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  if (bytes.size() > kLargest)
    fail(ErrorKind::model, path.string(), ": a template has at most ", kLargest, " bytes, this has ",
         bytes.size());
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// chat_template is a text, or a list of {"name": …, "template": …}.
void read_config(const JsonNode& node, ChatTemplate& into) {
  if (!node.is_array()) {
    into.source = node.string();
    return;
  }
  bool has_default = false;
  node.for_each_element([&](const JsonNode& entry) {
    const std::string& name = entry["name"].string();
    if (name == "default") into.source = entry["template"].string();
    if (name == "tool_use") into.tool_use = entry["template"].string();
    has_default |= name == "default";
  });
  if (!has_default) node.refuse("none of the templates is named default");
}

[[nodiscard]] std::optional<std::string> token_of(const Metadata& metadata, const char* key) {
  const std::optional<uint32_t> id = metadata.find_u32(key);
  const auto tokens = metadata.find_strings("tokenizer.ggml.tokens");
  if (!id || !tokens || *id >= tokens->size()) return std::nullopt;
  return std::string((*tokens)[*id]);
}

[[nodiscard]] std::optional<ChatTemplate> look_in(const Metadata& metadata) {
  const auto source = metadata.find_string("tokenizer.chat_template");
  if (!source) return std::nullopt;
  ChatTemplate found;
  found.source = *source;
  found.tool_use = metadata.find_string("tokenizer.chat_template.tool_use").value_or("");
  found.bos_token = token_of(metadata, "tokenizer.ggml.bos_token_id");
  found.eos_token = token_of(metadata, "tokenizer.ggml.eos_token_id");
  return found;
}

[[nodiscard]] std::optional<ChatTemplate> look_in(const Path& folder) {
  const JsonFile config = read_settings_file(folder / "tokenizer_config.json");
  const JsonFile map = read_settings_file(folder / "special_tokens_map.json");
  ChatTemplate found;
  found.bos_token = special_token_text(config.root(), map.root(), "bos_token");
  found.eos_token = special_token_text(config.root(), map.root(), "eos_token");
  if (const Path own_file = folder / "chat_template.jinja"; std::filesystem::exists(own_file)) {
    found.source = read_text(own_file);
    const Path tool_use = folder / "additional_chat_templates" / "tool_use.jinja";
    if (std::filesystem::exists(tool_use)) found.tool_use = read_text(tool_use);
    return found;
  }
  const JsonNode configured = config.root()["chat_template"];
  if (configured.is_null()) return std::nullopt;
  read_config(configured, found);
  return found;
}

}  // namespace

ChatTemplate find_chat_template(const Metadata& metadata) {
  if (auto found = look_in(metadata)) return *std::move(found);
  fail(ErrorKind::model, "the model has no chat template (tokenizer.chat_template)");
}

ChatTemplate find_chat_template(const Path& folder) {
  if (auto found = look_in(folder)) return *std::move(found);
  fail(ErrorKind::model, folder.string(),
       " has no chat template: neither chat_template.jinja nor chat_template in tokenizer_config.json");
}

std::optional<ChatTemplate> chat_template_of(const ModelFiles& model) {
  return model.folder ? look_in(*model.folder) : look_in(model.tensors.metadata());
}

ChatTemplate read_chat_template(const Path& file) {
  ChatTemplate found;
  found.source = read_text(file);
  return found;
}

}  // namespace linnet
