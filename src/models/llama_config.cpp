#include "models/llama_config.h"

#include <cmath>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/quoted.h"
#include "format/format.h"

namespace linnet {
namespace {

uint32_t bounded(std::string_view key, uint64_t value, uint32_t most) {
  if (value < 1 || value > most) {
    fail(ErrorKind::model, "key '", key, "': expected 1 to ", most, ", got ", value);
  }
  return static_cast<uint32_t>(value);
}

// The keys of one architecture: "llama." + name.
class Keys {
 public:
  Keys(const Metadata& metadata, std::string_view architecture)
      : metadata_(metadata), prefix_(architecture) {}

  [[nodiscard]] std::string key(std::string_view name) const { return prefix_ + "." + std::string(name); }
  [[nodiscard]] uint32_t count(std::string_view name, uint32_t most) const {
    return bounded(key(name), metadata_.get_u64(key(name)), most);
  }
  [[nodiscard]] uint32_t count_or(std::string_view name, uint32_t most, uint32_t otherwise) const {
    const auto found = metadata_.find_u64(key(name));
    return found ? bounded(key(name), *found, most) : otherwise;
  }
  [[nodiscard]] double positive_or(std::string_view name, double otherwise) const {
    const double value = metadata_.find_f64(key(name)).value_or(otherwise);
    if (!std::isfinite(value) || value <= 0) {
      fail(ErrorKind::model, "key '", key(name), "': expected a positive number, got ", value);
    }
    return value;
  }
  [[nodiscard]] const Metadata& metadata() const noexcept { return metadata_; }

 private:
  const Metadata& metadata_;
  std::string prefix_;
};

void check_architecture(const Metadata& metadata) {
  const std::string& name = metadata.get_string("general.architecture");
  if (name != "llama") {
    fail(ErrorKind::model, "key 'general.architecture': this version runs 'llama', got ", quoted_name(name));
  }
}

uint32_t read_vocabulary(const Keys& keys, const TensorFile& file) {
  const TensorInfo& table = file.get("token_embd.weight");
  if (table.shape.size() != 2) {
    fail(ErrorKind::model, "tensor 'token_embd.weight': expected a matrix, got ", table.shape.size(),
         " dimensions");
  }
  const uint32_t rows = bounded("rows of token_embd.weight", table.shape[0], kLargestVocabulary);
  const uint32_t said = keys.count_or("vocab_size", kLargestVocabulary, rows);
  if (said != rows) {
    fail(ErrorKind::model, "key '", keys.key("vocab_size"), "': expected the ", rows,
         " rows of token_embd.weight, got ", said);
  }
  const auto tokens = keys.metadata().find_strings("tokenizer.ggml.tokens");
  if (tokens && tokens->size() > rows) {
    fail(ErrorKind::model, "key 'tokenizer.ggml.tokens': ", tokens->size(),
         " tokens, but token_embd.weight has ", rows, " rows");
  }
  return rows;
}

void read_heads(const Keys& keys, LlamaConfig& config) {
  config.heads = keys.count("attention.head_count", kMostHeads);
  config.kv_heads = keys.count_or("attention.head_count_kv", kMostHeads, config.heads);
  if (config.heads % config.kv_heads != 0) {
    fail(ErrorKind::model, "key '", keys.key("attention.head_count_kv"), "': expected a divisor of ",
         config.heads, " heads, got ", config.kv_heads);
  }
  uint32_t otherwise = 0;
  if (!keys.metadata().contains(keys.key("attention.key_length"))) {
    if (config.width % config.heads != 0) {
      fail(ErrorKind::model, "key '", keys.key("attention.head_count"), "': expected a divisor of the width ",
           config.width, ", got ", config.heads);
    }
    otherwise = bounded("width of a head", config.width / config.heads, kWidestHead);
  }
  config.head_width = keys.count_or("attention.key_length", kWidestHead, otherwise);
  const uint32_t value_length = keys.count_or("attention.value_length", kWidestHead, config.head_width);
  if (value_length != config.head_width) {
    fail(ErrorKind::model, "key '", keys.key("attention.value_length"), "': expected the key length ",
         config.head_width, ", got ", value_length);
  }
}

std::vector<float> read_rope_factors(const TensorFile& file, uint32_t pairs) {
  const TensorInfo* tensor = file.find("rope_freqs.weight");
  if (tensor == nullptr) return {};
  if (tensor->elements != pairs) {
    fail(ErrorKind::model, "tensor 'rope_freqs.weight': expected ", pairs, " elements, got ",
         tensor->elements);
  }
  std::vector<std::byte> bytes(tensor->bytes);
  file.read(*tensor, 0, bytes);
  std::vector<float> factors(pairs);
  decode(tensor->readable_format(), bytes, factors);
  for (const float factor : factors) {
    if (!std::isfinite(factor) || factor <= 0) {
      fail(ErrorKind::model, "tensor 'rope_freqs.weight': expected positive numbers, got ", factor);
    }
  }
  return factors;
}

void read_rope(const Keys& keys, const TensorFile& file, LlamaConfig& config) {
  const uint32_t rotated = keys.count_or("rope.dimension_count", kWidestHead, config.head_width);
  if (rotated > config.head_width || rotated % 2 != 0) {
    fail(ErrorKind::model, "key '", keys.key("rope.dimension_count"), "': expected an even number up to ",
         config.head_width, ", got ", rotated);
  }
  config.rope_pairs = rotated / 2;
  config.rope_base = keys.positive_or("rope.freq_base", 10000);
  const std::string kind = keys.metadata().find_string(keys.key("rope.scaling.type")).value_or("");
  if (kind == "linear") {
    config.rope_scaling.linear = keys.positive_or("rope.scaling.factor", 1);
  } else if (kind.empty()) {
    config.rope_scaling.linear = keys.positive_or("rope.scale_linear", 1);  // as files of 2023 have it
  } else if (kind != "none") {
    fail(ErrorKind::model, "key '", keys.key("rope.scaling.type"),
         "': this version knows 'none' and 'linear', got ", quoted_name(kind));
  }
  config.rope_factors = read_rope_factors(file, config.rope_pairs);
}

}  // namespace

LlamaConfig read_llama_config(const ModelFiles& model) {
  if (!model.folder) return read_llama_metadata(model.tensors);
  const JsonFile config(*model.folder / "config.json");
  return read_llama_json(config.root());
}

bool is_llama(const ModelFiles& model) {
  if (!model.folder) return model.tensors.metadata().find_string("general.architecture") == "llama";
  const JsonFile config(*model.folder / "config.json");
  return is_llama_json(config.root());
}

LlamaConfig read_llama_metadata(const TensorFile& file) {
  check_architecture(file.metadata());
  const Keys keys(file.metadata(), "llama");
  if (const auto experts = file.metadata().find_u64(keys.key("expert_count")); experts.value_or(0) != 0) {
    fail(ErrorKind::model, "key '", keys.key("expert_count"),
         "': this version runs models without experts, got ", *experts);
  }
  LlamaConfig config;
  config.width = keys.count("embedding_length", kWidestRow);
  config.layers = keys.count("block_count", kMostLayers);
  config.mlp_width = keys.count("feed_forward_length", kWidestRow);
  config.context_length = keys.count_or("context_length", UINT32_MAX, 2048);
  config.epsilon = static_cast<float>(keys.positive_or("attention.layer_norm_rms_epsilon", 1e-5));
  read_heads(keys, config);
  read_rope(keys, file, config);
  config.vocabulary = read_vocabulary(keys, file);
  config.tied = file.find("output.weight") == nullptr;
  return config;
}

}  // namespace linnet
