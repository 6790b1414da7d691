// Any bytes as the JSON files that configure a model (config.json, generation_config.json,
// tokenizer_config.json and the like): each refused with Error(model), or within its bounds.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/llama.h"
#include "target.h"
#include "text/tokenizer_json.h"

namespace linnet {
namespace {

void check(const LlamaConfig& config) {
  FUZZ_CHECK(config.heads >= 1 && config.heads <= kMostHeads && config.heads % config.kv_heads == 0);
  FUZZ_CHECK(config.head_width % 2 == 0 && config.head_width >= 2 && config.head_width <= kWidestHead);
  FUZZ_CHECK(config.rope_pairs == config.head_width / 2);
  FUZZ_CHECK(config.layers >= 1 && config.layers <= kMostLayers && config.width >= 1 &&
             config.mlp_width >= 1);
  FUZZ_CHECK(config.context_length >= 1 && config.epsilon >= 0 && std::isfinite(config.epsilon));
  FUZZ_CHECK(config.rope_factors.empty() || config.rope_factors.size() == config.rope_pairs);
  for (const float value : llama_rope_values(config)) FUZZ_CHECK(!std::isnan(value));
  // Specs for every layer cost what layers cost: the fuzzer needs a few only.
  LlamaConfig few = config;
  few.layers = std::min(few.layers, 2u);
  for (const WeightSpec& spec : llama_weights(few)) FUZZ_CHECK(spec.shape().elements() > 0);
}

}  // namespace
}  // namespace linnet

void linnet::fuzz::check_input(std::string_view input) {
  attempt([&] {
    const JsonFile file(input, "config.json");
    const JsonNode root = file.root();
    attempt([&] { check(read_llama_json(root)); });
    attempt([&] {
      for (const int64_t end : read_tokenizer_settings(root, root, root, root).ends) FUZZ_CHECK(end >= 0);
    });
  });
}
