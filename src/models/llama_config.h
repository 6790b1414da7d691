// What a model's files say about a Llama model, checked: files are hostile, so each number is bounded before
// anything is computed from it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "files/json_node.h"
#include "files/model_files.h"
#include "files/tensor_file.h"
#include "models/llama_names.h"
#include "models/rope_frequencies.h"

namespace linnet {

struct LlamaConfig {
  uint32_t vocabulary = 0;
  uint32_t width = 0;  // of the residual stream
  uint32_t layers = 0;
  uint32_t heads = 0;
  uint32_t kv_heads = 0;
  uint32_t head_width = 0;
  uint32_t mlp_width = 0;
  uint32_t context_length = 0;  // what the model was trained for
  float epsilon = 1e-5f;
  uint32_t rope_pairs = 0;
  double rope_base = 10000;
  RopeScaling rope_scaling;
  std::vector<float> rope_factors;  // empty, or one for each pair
  bool tied = false;                // the head is the embedding table
  Convention convention = Convention::gguf;
  // Whether matrices have biases; nothing: those that the file has.
  std::optional<bool> attention_bias, mlp_bias;
};

// Far above every published model, and small enough that no product of them wraps (the largest is the size of
// all caches: layers · 2 · tokens · heads · head width · 4 bytes).
inline constexpr uint32_t kMostLayers = 1024;
inline constexpr uint32_t kMostHeads = 1024;
inline constexpr uint32_t kWidestHead = 2048;
inline constexpr uint32_t kWidestRow = 1u << 20;
inline constexpr uint32_t kLargestVocabulary = 1u << 22;

// Throws Error(model) naming the key or tensor that is missing, contradictory or out of range; also for an
// architecture that is not supported, naming those that are.
[[nodiscard]] LlamaConfig read_llama_config(const ModelFiles& model);

// True iff the files say that it is a model of this architecture, whatever else they say.
[[nodiscard]] bool is_llama(const ModelFiles& model);

// The two ways it is said: the keys llama.* of a GGUF file, and config.json of transformers.
[[nodiscard]] LlamaConfig read_llama_metadata(const TensorFile& file);
[[nodiscard]] LlamaConfig read_llama_json(const JsonNode& config);
[[nodiscard]] bool is_llama_json(const JsonNode& config);

}  // namespace linnet
