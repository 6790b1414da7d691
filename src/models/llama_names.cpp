#include "models/llama_names.h"

#include <array>
#include <utility>

#include "base/error.h"

namespace linnet {
namespace {

using Name = std::pair<std::string_view, std::string_view>;

constexpr std::array<Name, 12> kNames = {{
    {"token_embd", "embed_tokens"},
    {"output_norm", "norm"},
    {"output", "lm_head"},
    {"attn_norm", "input_layernorm"},
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
}};

[[nodiscard]] std::string_view translated(std::string_view role) {
  for (const auto& [gguf, transformers] : kNames)
    if (gguf == role) return transformers;
  fail(ErrorKind::failure, "[llama] no tensor '", role, "'");
}

}  // namespace

std::string llama_tensor_name(Convention convention, std::string_view gguf_name) {
  if (convention == Convention::gguf) return std::string(gguf_name);
  constexpr std::string_view kLayer = "blk.";
  std::string prefix;
  std::string_view rest = gguf_name;
  if (rest.starts_with(kLayer)) {
    rest.remove_prefix(kLayer.size());
    const size_t point = rest.find('.');
    prefix = concat("layers.", rest.substr(0, point), ".");
    rest.remove_prefix(point + 1);
  }
  const size_t point = rest.find('.');
  const std::string_view name = translated(rest.substr(0, point));
  return concat(name == "lm_head" ? "" : "model.", prefix, name, rest.substr(point));
}

std::vector<uint32_t> interleaved_rows(uint32_t heads, uint32_t head_width) {
  std::vector<uint32_t> rows;
  rows.reserve(size_t{heads} * head_width);
  for (uint32_t head = 0; head < heads; ++head) {
    for (uint32_t pair = 0; pair < head_width / 2; ++pair) {
      rows.push_back(head * head_width + pair);
      rows.push_back(head * head_width + head_width / 2 + pair);
    }
  }
  return rows;
}

}  // namespace linnet
