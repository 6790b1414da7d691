#include "inspect_report.h"

#include <array>
#include <cstring>

#include "base/error.h"
#include "base/quoted.h"
#include "files/gguf.h"
#include "files/json_node.h"
#include "json_text.h"
#include "text/chat_template.h"
#include "text/model_tokenizer.h"

namespace linnet::cli {
namespace {

using Json = nlohmann::ordered_json;
using Path = std::filesystem::path;

constexpr size_t kFirst = 8;          // elements of an array that are shown
constexpr size_t kWidestValue = 100;  // characters of a value
constexpr std::array<const char*, 8> kSettingsFiles = {"config.json",
                                                       "generation_config.json",
                                                       "tokenizer_config.json",
                                                       "special_tokens_map.json",
                                                       "sentence_bert_config.json",
                                                       "config_sentence_transformers.json",
                                                       "modules.json",
                                                       "1_Pooling/config.json"};

std::string format_of(const ModelFiles& model) {
  if (model.folder) return "safetensors";
  uint32_t version = 0;
  std::memcpy(&version, model.tensors.files().front().bytes().data() + 4, sizeof version);
  return concat("GGUF version ", version);
}

// JsonFile first: it refuses what is too deep or too large before anything is built of it.
Json read_json(const Path& path) {
  const JsonFile checked(path);
  const MappedFile file(path);
  return Json::parse(reinterpret_cast<const char*>(file.bytes().data()),
                     reinterpret_cast<const char*>(file.bytes().data()) + file.bytes().size());
}

TokenizerReport read_tokenizer(const ModelFiles& model) {
  TokenizerReport report;
  try {
    report.tokenizer = make_tokenizer(model);
    report.kind = report.tokenizer->kind();
    if (const auto pre = model.tensors.metadata().find_string("tokenizer.ggml.pre"); pre && !model.folder)
      report.kind += concat(" (", *pre, ")");
  } catch (const Error& error) {
    report.problem = error.what();
  }
  return report;
}

std::optional<std::string> read_template(const ModelFiles& model) {
  auto found = chat_template_of(model);
  return found ? std::optional(std::move(found->source)) : std::nullopt;
}

template <class Array>
std::vector<Json> first_of(const Array& array) {
  std::vector<Json> first;
  if constexpr (requires { array.views(); }) {
    for (size_t i = 0; i < std::min(kFirst, array.views().size()); ++i) first.emplace_back(array.views()[i]);
  } else {
    for (size_t i = 0; i < std::min(kFirst, array.size()); ++i) {
      const typename Array::value_type element = array[i];
      first.emplace_back(element);
    }
  }
  return first;
}

size_t count_of(const MetadataArray& array) {
  return std::visit(
      [](const auto& elements) {
        if constexpr (requires { elements.views(); }) {
          return elements.views().size();
        } else {
          return elements.size();
        }
      },
      array);
}

}  // namespace

ModelReport::ModelReport(const Path& path)
    : model(open_model(path)),
      format(format_of(model)),
      tokenizer(read_tokenizer(model)),
      chat_template(read_template(model)) {
  if (!model.folder) return;
  for (const char* name : kSettingsFiles) {
    if (!std::filesystem::exists(*model.folder / name)) continue;
    settings.emplace_back(name, read_json(*model.folder / name));
    if (settings.back().second.is_object())
      settings.back().second.erase("chat_template");  // has its own place
  }
}

size_t ModelReport::tensor_bytes() const {
  size_t bytes = 0;
  for (const TensorInfo& tensor : model.tensors.tensors()) bytes += tensor.bytes;
  return bytes;
}

Json value_json(const MetadataValue& value) {
  return std::visit(
      [&](const auto& stored) -> Json {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(stored)>, MetadataArray>) {
          const auto first = std::visit([](const auto& elements) { return first_of(elements); }, stored);
          return {{"type", type_name(value)}, {"count", count_of(stored)}, {"first", first}};
        } else {
          return stored;
        }
      },
      value);
}

std::string value_line(const MetadataValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return escaped(*text, kWidestValue);
  const auto written = [](const Json& json) {
    return json.is_string() ? concat('"', json.get<std::string>(), '"') : json_line(json);
  };
  const Json json = value_json(value);
  if (!std::holds_alternative<MetadataArray>(value)) return written(json);
  std::string line = concat(json["count"].get<size_t>(), ": ");
  for (const Json& element : json["first"]) line += written(element) + ", ";
  line.resize(line.size() - 2);
  return escaped(line + (json["first"].size() < json["count"].get<size_t>() ? ", …" : ""), kWidestValue);
}

}  // namespace linnet::cli
