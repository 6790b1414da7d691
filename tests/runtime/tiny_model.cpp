#include "runtime/tiny_model.h"

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <string>

#include "base/checked.h"
#include "base/error.h"
#include "base/philox.h"
#include "files/gguf.h"

namespace linnet::testing {
namespace {

struct TinyToken {
  std::string text;
  float score;
  int32_t kind;  // as tokenizer.ggml.token_type numbers them
};

std::vector<TinyToken> tiny_vocabulary() {
  std::vector<TinyToken> tokens{{"<unk>", 0, 2}, {"<s>", 0, 3}, {"</s>", 0, 3}};
  for (int byte = 0; byte < 256; ++byte) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    tokens.push_back({std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">", 0, 6});
  }
  float score = 0;
  for (const char* piece : {"▁t",  "he",  "▁the", "in", "▁a",   "er", "on", "▁s", "an", "re", "▁w", "or",
                            "ing", "▁of", "▁in",  "nd", "▁and", "it", "is", "es", "▁",  ".",  ","}) {
    tokens.push_back({piece, score--, 1});
  }
  for (char letter = 'a'; letter <= 'z'; ++letter) tokens.push_back({std::string(1, letter), score--, 1});
  return tokens;
}

uint32_t vocabulary_of(const TinyModel& model) {
  return model.vocabulary == 0 ? tiny_vocabulary_size() : model.vocabulary;
}

// Uniform with standard deviation `deviation`, a pure function of seed, tensor and index.
class Numbers {
 public:
  Numbers(uint64_t seed, uint32_t tensor, double mean, double deviation)
      : seed_(seed), tensor_(tensor), mean_(mean), range_(deviation * std::sqrt(3.0)) {}

  [[nodiscard]] float at(uint32_t index) const {
    const uint32_t bits = philox4x32({index, tensor_, 0, 0}, seed_)[0];
    return static_cast<float>(mean_ + range_ * (static_cast<double>(bits) * 0x1p-31 - 1.0));
  }

 private:
  uint64_t seed_;
  uint32_t tensor_;
  double mean_;
  double range_;
};

// Activations keep their size from layer to layer; logits are a few units.
Numbers numbers_for(const GgufTensor& tensor, uint64_t seed, uint32_t index) {
  if (tensor.name.ends_with("norm.weight")) return {seed, index, 1.0, 0.2};
  if (tensor.name.ends_with("bias")) return {seed, index, 0.0, 0.2};
  if (tensor.name == "token_embd.weight" || tensor.name == "output.weight") return {seed, index, 0.0, 0.35};
  return {seed, index, 0.0, 1.0 / std::sqrt(static_cast<double>(tensor.shape.back()))};
}

size_t elements_of(const GgufTensor& tensor) {
  size_t product = 1;
  for (const uint64_t dim : tensor.shape) product = size_product(product, dim);
  return product;
}

}  // namespace

uint32_t tiny_vocabulary_size() {
  return static_cast<uint32_t>(tiny_vocabulary().size());
}

Metadata tiny_metadata(const TinyModel& model) {
  std::vector<std::string> texts;
  std::vector<float> scores;
  std::vector<int32_t> kinds;
  for (const TinyToken& token : tiny_vocabulary()) {
    texts.push_back(token.text);
    scores.push_back(token.score);
    kinds.push_back(token.kind);
  }
  while (texts.size() < vocabulary_of(model)) {
    texts.push_back(concat("<unused ", texts.size(), ">"));
    scores.push_back(0);
    kinds.push_back(5);
  }
  Metadata metadata;
  metadata.set("general.architecture", std::string("llama"));
  metadata.set("general.name", std::string("tiny random model"));
  metadata.set("llama.vocab_size", vocabulary_of(model));
  metadata.set("llama.context_length", model.context);
  metadata.set("llama.embedding_length", model.width);
  metadata.set("llama.block_count", model.layers);
  metadata.set("llama.feed_forward_length", model.mlp_width);
  metadata.set("llama.attention.head_count", model.heads);
  metadata.set("llama.attention.head_count_kv", model.kv_heads);
  metadata.set("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  metadata.set("llama.rope.dimension_count", model.width / model.heads);
  metadata.set("llama.rope.freq_base", 10000.0f);
  metadata.set("tokenizer.ggml.model", std::string("llama"));
  metadata.set("tokenizer.ggml.tokens", MetadataArray(StringArray(std::move(texts))));
  metadata.set("tokenizer.ggml.scores", MetadataArray(std::move(scores)));
  metadata.set("tokenizer.ggml.token_type", MetadataArray(std::move(kinds)));
  metadata.set("tokenizer.ggml.bos_token_id", uint32_t{1});
  metadata.set("tokenizer.ggml.eos_token_id", uint32_t{2});
  metadata.set("tokenizer.ggml.unknown_token_id", uint32_t{0});
  metadata.set("tokenizer.ggml.add_bos_token", true);
  return metadata;
}

std::vector<GgufTensor> tiny_tensors(const TinyModel& model) {
  const uint64_t width = model.width;
  const uint64_t q = width;
  const uint64_t kv = width / model.heads * model.kv_heads;
  const uint64_t mlp = model.mlp_width;
  std::vector<GgufTensor> tensors;
  const auto matrix = [&](std::string name, uint64_t rows, uint64_t columns, bool bias) {
    tensors.push_back({name + ".weight", {rows, columns}, model.format});
    if (bias) tensors.push_back({name + ".bias", {rows}, Format::f32});
  };
  const auto norm = [&](std::string name) { tensors.push_back({name + ".weight", {width}, Format::f32}); };
  matrix("token_embd", vocabulary_of(model), width, false);
  for (uint32_t layer = 0; layer < model.layers; ++layer) {
    const std::string at = concat("blk.", layer, ".");
    norm(at + "attn_norm");
    matrix(at + "attn_q", q, width, model.biases);
    matrix(at + "attn_k", kv, width, model.biases);
    matrix(at + "attn_v", kv, width, model.biases);
    matrix(at + "attn_output", width, q, model.biases);
    norm(at + "ffn_norm");
    matrix(at + "ffn_gate", mlp, width, model.biases);
    matrix(at + "ffn_up", mlp, width, model.biases);
    matrix(at + "ffn_down", width, mlp, model.biases);
  }
  norm("output_norm");
  if (!model.tied) matrix("output", vocabulary_of(model), width, false);
  return tensors;
}

void write_tiny_model(const std::filesystem::path& path, const TinyModel& model) {
  const std::vector<GgufTensor> tensors = tiny_tensors(model);
  GgufWriter writer(path, tiny_metadata(model), tensors);
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const Numbers numbers = numbers_for(tensors[i], model.seed, i);
    const size_t elements = elements_of(tensors[i]);
    const size_t columns = tensors[i].shape.back();
    std::vector<float> row(columns);
    std::vector<std::byte> bytes(bytes_of(tensors[i].format, columns));
    for (size_t first = 0; first < elements; first += columns) {
      for (size_t k = 0; k < columns; ++k) row[k] = numbers.at(static_cast<uint32_t>(first + k));
      encode(tensors[i].format, row, bytes);
      writer.write(bytes);
    }
  }
  writer.finish();
}

void write_header_only(const std::filesystem::path& path, const Metadata& metadata,
                       const std::vector<GgufTensor>& tensors) {
  const std::vector<std::byte> header = encode_gguf_header(metadata, tensors);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(header.data()), static_cast<std::streamsize>(header.size()));
  size_t size = header.size();
  for (const GgufTensor& tensor : tensors) {
    size += align_up(bytes_of(tensor.format, elements_of(tensor)), kGgufDefaultAlignment);
  }
  std::filesystem::resize_file(path, size);
}

void write_header_only(const std::filesystem::path& path, const TinyModel& model) {
  write_header_only(path, tiny_metadata(model), tiny_tensors(model));
}

TemporaryPath::TemporaryPath(const char* extension) {
  static std::atomic<uint32_t> made{0};
  path_ = std::filesystem::temp_directory_path() / concat("linnet-", ::getpid(), "-", made++, extension);
}

TemporaryPath::~TemporaryPath() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

TensorFile open_tiny_model(const TinyModel& model) {
  const TemporaryPath path;
  write_tiny_model(path, model);
  return open_gguf(path);
}

}  // namespace linnet::testing
