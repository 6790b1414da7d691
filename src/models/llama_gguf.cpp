#include "models/llama_gguf.h"

#include "base/error.h"
#include "models/llama.h"
#include "text/gguf_export.h"

namespace linnet {
namespace {

// That of the folder.
[[nodiscard]] std::string name_of(const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto whole = std::filesystem::absolute(folder, ignored).lexically_normal();
  const auto name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
  return name.empty() ? "model" : name.string();
}

[[nodiscard]] Metadata describe(const LlamaConfig& config, const std::string& name) {
  Metadata metadata;
  metadata.set("general.architecture", std::string("llama"));
  metadata.set("general.type", std::string("model"));
  metadata.set("general.name", name);
  metadata.set("llama.vocab_size", config.vocabulary);
  metadata.set("llama.context_length", config.context_length);
  metadata.set("llama.embedding_length", config.width);
  metadata.set("llama.block_count", config.layers);
  metadata.set("llama.feed_forward_length", config.mlp_width);
  metadata.set("llama.attention.head_count", config.heads);
  metadata.set("llama.attention.head_count_kv", config.kv_heads);
  metadata.set("llama.attention.key_length", config.head_width);
  metadata.set("llama.attention.value_length", config.head_width);
  metadata.set("llama.attention.layer_norm_rms_epsilon", config.epsilon);
  metadata.set("llama.rope.dimension_count", 2 * config.rope_pairs);
  metadata.set("llama.rope.freq_base", static_cast<float>(config.rope_base));
  if (config.rope_scaling.linear != 1) {
    metadata.set("llama.rope.scaling.type", std::string("linear"));
    metadata.set("llama.rope.scaling.factor", static_cast<float>(config.rope_scaling.linear));
  }
  return metadata;
}

// Rows of queries and keys change their order; everything else stays as it is.
[[nodiscard]] std::vector<uint32_t> rows_of(const std::string& gguf_name, const LlamaConfig& config) {
  if (gguf_name.find(".attn_q.") != std::string_view::npos)
    return interleaved_rows(config.heads, config.head_width);
  if (gguf_name.find(".attn_k.") != std::string_view::npos)
    return interleaved_rows(config.kv_heads, config.head_width);
  return {};
}

void add_tensors(const LlamaConfig& config, const TensorFile& file, GgufContentsToWrite& into) {
  if (!config.rope_factors.empty())
    into.tensors.push_back({.name = "rope_freqs.weight", .values = config.rope_factors});
  const std::vector<JoinedWeight> joined = join_llama_weights(config, file);
  LlamaConfig renamed = config;
  renamed.convention = Convention::gguf;
  // The same weights in the same order: config.json leaves none of them optional.
  const std::vector<WeightSpec> specs = llama_weights(renamed);
  for (size_t i = 0; i < joined.size(); ++i) {
    for (size_t part = 0; part < joined[i].tensors.size(); ++part) {
      const std::string& name = specs.at(i).parts.at(part).tensor;
      into.tensors.push_back({.name = name, .from = joined[i].tensors[part], .rows = rows_of(name, config)});
    }
  }
}

}  // namespace

GgufModel describe_as_gguf(const ModelFiles& model) {
  if (!model.folder) return {same_contents(model.tensors), {}};
  const LlamaConfig config = read_llama_config(model);
  GgufModel described;
  described.contents.metadata = describe(config, name_of(*model.folder));
  described.notes = export_tokenizer(*model.folder, config.vocabulary, described.contents.metadata);
  add_tensors(config, model.tensors, described.contents);
  return described;
}

}  // namespace linnet
