#include "models/hugging_face_folder.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "files/safetensors_bytes.h"

namespace linnet::testing {
namespace {

using Json = nlohmann::ordered_json;

const std::map<std::string, std::string> kNames = {{"token_embd", "model.embed_tokens"},
                                                   {"output_norm", "model.norm"},
                                                   {"output", "lm_head"},
                                                   {"attn_norm", "input_layernorm"},
                                                   {"ffn_norm", "post_attention_layernorm"},
                                                   {"attn_q", "self_attn.q_proj"},
                                                   {"attn_k", "self_attn.k_proj"},
                                                   {"attn_v", "self_attn.v_proj"},
                                                   {"attn_output", "self_attn.o_proj"},
                                                   {"ffn_gate", "mlp.gate_proj"},
                                                   {"ffn_up", "mlp.up_proj"},
                                                   {"ffn_down", "mlp.down_proj"}};

// "blk.3.attn_q.weight" → "model.layers.3.self_attn.q_proj.weight".
std::string name_of(const std::string& gguf) {
  const size_t last = gguf.rfind('.');
  const size_t before = gguf.rfind('.', last - 1);
  if (before == std::string::npos) return kNames.at(gguf.substr(0, last)) + gguf.substr(last);
  return "model.layers." + gguf.substr(4, before - 4) + "." +
         kNames.at(gguf.substr(before + 1, last - before - 1)) + gguf.substr(last);
}

// The values with the pairs of RoPE half a head apart where GGUF has them beside each other.
std::vector<float> values_of(const TensorFile& gguf, const TensorInfo& tensor) {
  std::vector<float> values(tensor.elements);
  decode(*tensor.format, gguf.bytes(tensor), values);
  const bool queries = tensor.name.find("attn_q.") != std::string::npos;
  if (!queries && tensor.name.find("attn_k.") == std::string::npos) return values;
  const uint32_t heads =
      gguf.metadata().get_u32(queries ? "llama.attention.head_count" : "llama.attention.head_count_kv");
  const size_t width = tensor.shape[0] / heads;
  const size_t columns = tensor.elements / tensor.shape[0];
  std::vector<float> moved(values.size());
  for (size_t row = 0; row < tensor.shape[0]; ++row) {
    const size_t head = row / width;
    const size_t in_head = row % width;
    const size_t target = head * width + in_head % 2 * (width / 2) + in_head / 2;
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(row * columns), columns,
                moved.begin() + static_cast<std::ptrdiff_t>(target * columns));
  }
  return moved;
}

struct Shard {
  Json header = Json::object();
  std::string data;

  void add(const std::string& name, std::string_view type, const std::vector<uint64_t>& shape,
           std::string_view bytes) {
    header[name] = {
        {"dtype", type}, {"shape", shape}, {"data_offsets", {data.size(), data.size() + bytes.size()}}};
    data += bytes;
  }
};

std::string config_of(const TensorFile& gguf, const std::string& more) {
  const Metadata& metadata = gguf.metadata();
  const Json config = {{"architectures", {"LlamaForCausalLM"}},
                       {"model_type", "llama"},
                       {"vocab_size", gguf.get("token_embd.weight").shape[0]},
                       {"hidden_size", metadata.get_u32("llama.embedding_length")},
                       {"num_hidden_layers", metadata.get_u32("llama.block_count")},
                       {"intermediate_size", metadata.get_u32("llama.feed_forward_length")},
                       {"num_attention_heads", metadata.get_u32("llama.attention.head_count")},
                       {"num_key_value_heads", metadata.get_u32("llama.attention.head_count_kv")},
                       {"max_position_embeddings", metadata.get_u32("llama.context_length")},
                       {"rms_norm_eps", metadata.get_f64("llama.attention.layer_norm_rms_epsilon")},
                       {"tie_word_embeddings", gguf.find("output.weight") == nullptr},
                       {"attention_bias", gguf.find("blk.0.attn_q.bias") != nullptr},
                       {"mlp_bias", gguf.find("blk.0.ffn_up.bias") != nullptr}};
  std::string text = config.dump();
  return text.insert(text.size() - 1, more);
}

}  // namespace

std::string tokenizer_json_of(const Metadata& gguf) {
  const auto tokens = gguf.get_strings("tokenizer.ggml.tokens");
  const auto scores = gguf.get_floats("tokenizer.ggml.scores");
  const auto kinds = gguf.get_integers("tokenizer.ggml.token_type");
  Json vocabulary = Json::object();
  Json added = Json::array();
  std::map<std::string_view, size_t> index;
  for (size_t i = 0; i < tokens.size(); ++i) {
    vocabulary[std::string(tokens[i])] = i;
    if (kinds[i] == 1) index.emplace(tokens[i], i);
    if (kinds[i] == 2 || kinds[i] == 3)
      added.push_back({{"id", i}, {"content", tokens[i]}, {"special", true}, {"normalized", false}});
  }
  std::vector<size_t> order(tokens.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  Json merges = Json::array();
  for (const size_t token : order) {
    if (kinds[token] != 1) continue;
    for (size_t cut = 1; cut < tokens[token].size(); ++cut) {
      const auto left = tokens[token].substr(0, cut);
      const auto right = tokens[token].substr(cut);
      if (index.contains(left) && index.contains(right)) merges.push_back({left, right});
    }
  }
  const Json json = {{"version", "1.0"},
                     {"added_tokens", added},
                     {"normalizer",
                      {{"type", "Sequence"},
                       {"normalizers",
                        {{{"type", "Prepend"}, {"prepend", "▁"}},
                         {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}}}}}},
                     {"pre_tokenizer", nullptr},
                     {"post_processor",
                      {{"type", "TemplateProcessing"},
                       {"single", {{{"SpecialToken", {{"id", "<s>"}}}}, {{"Sequence", {{"id", "A"}}}}}},
                       {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {1}}}}}}}},
                     {"decoder",
                      {{"type", "Sequence"},
                       {"decoders",
                        {{{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}},
                         {{"type", "ByteFallback"}},
                         {{"type", "Fuse"}},
                         {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}},
                     {"model",
                      {{"type", "BPE"},
                       {"unk_token", "<unk>"},
                       {"fuse_unk", true},
                       {"byte_fallback", true},
                       {"vocab", vocabulary},
                       {"merges", merges}}}};
  return json.dump();
}

void write_hugging_face_folder(const std::filesystem::path& folder, const TensorFile& gguf,
                               const FolderOptions& options) {
  std::filesystem::create_directories(folder);
  std::vector<Shard> shards(options.shards);
  if (options.misaligned) shards.front().add("model.layers.0.self_attn.rotary_emb.inv_freq", "U8", {1}, "x");
  Json map = Json::object();
  size_t number = 0;
  const auto shard_name = [&](size_t shard) {
    return options.shards == 1 ? std::string("model.safetensors")
                               : concat("model-0000", shard + 1, "-of-0000", options.shards, ".safetensors");
  };
  for (const TensorInfo& tensor : gguf.tensors()) {
    if (tensor.name == "rope_freqs.weight") continue;  // said in config.json
    const Format format = tensor.shape.size() < 2 ? Format::f32 : options.format;
    const std::vector<float> values = values_of(gguf, tensor);
    std::vector<std::byte> bytes(bytes_of(format, values.size()));
    encode(format, values, bytes);
    const size_t shard = number++ % options.shards;
    const char* type = format == Format::f32 ? "F32" : format == Format::f16 ? "F16" : "BF16";
    shards[shard].add(name_of(tensor.name), type, tensor.shape,
                      {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    map[name_of(tensor.name)] = shard_name(shard);
  }
  for (size_t i = 0; i < shards.size(); ++i)
    test::write_bytes(folder / shard_name(i),
                      test::safetensors_bytes(shards[i].header.dump(), shards[i].data));
  if (options.shards > 1)
    test::write_bytes(folder / "model.safetensors.index.json", Json({{"weight_map", map}}).dump());
  test::write_bytes(folder / "config.json", config_of(gguf, options.config));
  test::write_bytes(folder / "tokenizer.json", tokenizer_json_of(gguf.metadata()));
  test::write_bytes(
      folder / "tokenizer_config.json",
      R"({"tokenizer_class":"LlamaTokenizer","bos_token":"<s>","eos_token":"</s>","unk_token":"<unk>"})");
  test::write_bytes(folder / "generation_config.json", R"({"eos_token_id":[2]})");
}

}  // namespace linnet::testing
