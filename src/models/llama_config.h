// What a GGUF file says about a Llama model, checked: a file is hostile, so each number is bounded before
// anything is computed from it.
#pragma once

#include <cstdint>
#include <vector>

#include "files/tensor_file.h"
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
};

// Throws Error(model) naming the key or tensor that is missing, contradictory or out of range; also for an
// architecture that is not supported, naming those that are.
[[nodiscard]] LlamaConfig read_llama_config(const TensorFile& file);

}  // namespace linnet
