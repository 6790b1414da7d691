#include "models/llama.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "nn/decoder_layer.h"
#include "program/recorder.h"

namespace linnet {
namespace {

constexpr std::string_view kEmbedding = "token_embd.weight";
constexpr std::string_view kHead = "output.weight";
constexpr std::string_view kOutputNorm = "output_norm.weight";

std::string in_layer(uint32_t layer, std::string_view name) {
  return concat("blk.", layer, ".", name);
}

// The weights of one layer, by their roles; the same names serve specs and recorded values.
class LayerSpecs {
 public:
  LayerSpecs(const LlamaConfig& config, uint32_t layer, std::vector<WeightSpec>& into)
      : config_(config), layer_(layer), into_(into) {}

  void add() {
    const uint32_t q = config_.heads * config_.head_width;
    const uint32_t kv = config_.kv_heads * config_.head_width;
    const auto attention = config_.attention_bias;
    const auto mlp = config_.mlp_bias;
    norm("attn_norm.weight");
    matrix("attn_qkv", {{"attn_q", q}, {"attn_k", kv}, {"attn_v", kv}}, config_.width, attention);
    matrix("attn_output", {{"attn_output", config_.width}}, q, attention);
    norm("ffn_norm.weight");
    matrix("ffn_gate_up", {{"ffn_gate", config_.mlp_width}, {"ffn_up", config_.mlp_width}}, config_.width,
           mlp);
    matrix("ffn_down", {{"ffn_down", config_.width}}, config_.mlp_width, mlp);
  }

 private:
  struct Rows {
    std::string_view tensor;
    uint32_t rows;
  };

  // name.weight of the stacked matrices, and name.bias; where nobody says whether there are biases, the file
  // may have them.
  void matrix(std::string_view name, std::initializer_list<Rows> parts, uint32_t columns,
              std::optional<bool> has_bias) {
    WeightSpec weight{.name = in_layer(layer_, concat(name, ".weight")), .use = Use::matrix, .parts = {}};
    WeightSpec bias{.name = in_layer(layer_, concat(name, ".bias")), .use = Use::vector, .parts = {}};
    for (const Rows& part : parts) {
      weight.parts.push_back(
          {.tensor = stored(concat(part.tensor, ".weight")), .shape = {part.rows, columns}});
      bias.parts.push_back({.tensor = stored(concat(part.tensor, ".bias")),
                            .shape = {part.rows},
                            .optional = !has_bias.has_value()});
    }
    into_.push_back(std::move(weight));
    if (has_bias.value_or(true)) into_.push_back(std::move(bias));
  }

  void norm(std::string_view name) {
    into_.push_back({.name = in_layer(layer_, name),
                     .use = Use::vector,
                     .parts = {{.tensor = stored(name), .shape = {config_.width}}}});
  }

  [[nodiscard]] std::string stored(std::string_view name) const {
    return llama_tensor_name(config_.convention, in_layer(layer_, name));
  }

  const LlamaConfig& config_;
  uint32_t layer_;
  std::vector<WeightSpec>& into_;
};

WeightSpec whole(Convention convention, std::string_view name, Use use, Shape shape) {
  return {.name = std::string(name),
          .use = use,
          .parts = {{.tensor = llama_tensor_name(convention, name), .shape = shape}}};
}

// Makes a value of each weight, once, under the spec's name.
class WeightValues {
 public:
  WeightValues(Recorder& recorder, std::span<const WeightSpec> specs) {
    for (const WeightSpec& spec : specs) {
      named_.push_back({spec.name, recorder.weight(spec.shape(), spec.format, spec.name)});
    }
    std::ranges::sort(named_, {}, &Named::name);
  }

  // Absent if the file has no such weight.
  [[nodiscard]] Value find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(named_, name, {}, &Named::name);
    return found != named_.end() && found->name == name ? found->value : Value{};
  }

  [[nodiscard]] DecoderLayerWeights layer(uint32_t index) const {
    const auto of = [&](std::string_view name) { return find(in_layer(index, name)); };
    return {.attention_norm = of("attn_norm.weight"),
            .qkv = of("attn_qkv.weight"),
            .qkv_bias = of("attn_qkv.bias"),
            .attention_out = of("attn_output.weight"),
            .attention_out_bias = of("attn_output.bias"),
            .mlp_norm = of("ffn_norm.weight"),
            .gate_up = of("ffn_gate_up.weight"),
            .gate_up_bias = of("ffn_gate_up.bias"),
            .down = of("ffn_down.weight"),
            .down_bias = of("ffn_down.bias")};
  }

 private:
  struct Named {
    std::string_view name;  // of the spec
    Value value;
  };
  std::vector<Named> named_;
};

KvCache record_cache(Recorder& recorder, const LlamaConfig& config, const BatchSpec& batch, uint32_t layer) {
  const Shape shape{batch.pages, config.kv_heads, kPageTokens, config.head_width};
  return {.keys = recorder.state(shape, Format::kv, in_layer(layer, "k_cache")),
          .values = recorder.state(shape, Format::kv, in_layer(layer, "v_cache"))};
}

void record_head(Recorder& recorder, Value x, const LlamaConfig& config, const WeightValues& weights,
                 const Batch& batch) {
  if (batch.last_rows) x = embedding(recorder, x, batch.last_rows, "last");
  const Value logits = recorder.output({batch.sampled, config.vocabulary}, Format::f32, names::kLogits);
  recorder.record(NormLinear{.x = x,
                             .norm = weights.find(kOutputNorm),
                             .weight = weights.find(config.tied ? kEmbedding : kHead),
                             .bias = {},
                             .out = logits,
                             .epsilon = config.epsilon});
  record_sample(recorder, batch, logits);
}

// True iff a file may have this tensor although no weight is made of it.
bool is_ignored(const LlamaConfig& config, std::string_view tensor) noexcept {
  if (config.convention == Convention::transformers) {
    // Old files carry frequencies here too, and transformers takes the table for the head where they are
    // tied.
    return tensor.ends_with(".rotary_emb.inv_freq") || (config.tied && tensor == "lm_head.weight");
  }
  // The factors are read with the configuration; old files carry frequencies that the base already says.
  return tensor == "rope_freqs.weight" || tensor.ends_with(".attn_rot_embd.weight") ||
         tensor.ends_with(".attn_rot_embd");
}

}  // namespace

std::vector<WeightSpec> llama_weights(const LlamaConfig& config) {
  const Shape table{config.vocabulary, config.width};
  std::vector<WeightSpec> specs;
  specs.push_back(whole(config.convention, kEmbedding, config.tied ? Use::tied : Use::table, table));
  for (uint32_t layer = 0; layer < config.layers; ++layer) LayerSpecs(config, layer, specs).add();
  specs.push_back(whole(config.convention, kOutputNorm, Use::vector, {config.width}));
  if (!config.tied) specs.push_back(whole(config.convention, kHead, Use::matrix, table));
  return specs;
}

std::vector<JoinedWeight> join_llama_weights(const LlamaConfig& config, const TensorFile& file) {
  return join_weights(llama_weights(config), file,
                      [&](std::string_view tensor) { return is_ignored(config, tensor); });
}

WeightSpec llama_rope_spec(const LlamaConfig& config) {
  return whole(Convention::gguf, kRopeFrequenciesName, Use::vector, {config.rope_pairs, 2});
}

std::vector<float> llama_rope_values(const LlamaConfig& config) {
  return rope_frequencies(config.rope_pairs, config.rope_base, config.rope_scaling, config.rope_factors);
}

Program record_llama(const LlamaConfig& config, std::span<const WeightSpec> weight_specs,
                     const BatchSpec& batch_spec) {
  Recorder recorder;
  const WeightValues weights(recorder, weight_specs);
  const Batch batch = record_batch(recorder, batch_spec);
  const DecoderLayerShape shape{
      .heads = config.heads,
      .kv_heads = config.kv_heads,
      .head_width = config.head_width,
      .epsilon = config.epsilon,
      .attention_scale = 1.0f / std::sqrt(static_cast<float>(config.head_width)),
      .pairs = config.convention == Convention::gguf ? RopePairs::adjacent : RopePairs::halves,
      .activation = ActivationKind::silu};
  Value x = embedding(recorder, weights.find(kEmbedding), batch.tokens, "embedded");
  const Value angles =
      rope_angles(recorder, batch.paging.positions, weights.find(kRopeFrequenciesName), "angles");
  for (uint32_t layer = 0; layer < config.layers; ++layer) {
    recorder.set_prefix(in_layer(layer, ""));
    const KvCache cache = record_cache(recorder, config, batch_spec, layer);
    x = decoder_layer(recorder, x, angles, batch.paging, cache, weights.layer(layer), shape);
  }
  recorder.set_prefix("");
  record_head(recorder, x, config, weights, batch);
  return recorder.take();
}

}  // namespace linnet
