// Llama's tensors are the same everywhere, but not their names, and not the order of the rows of queries and
// keys: GGUF files have the two elements that RoPE turns beside each other, transformers has them half a head
// apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linnet {

enum class Convention : uint8_t { gguf, transformers };

// "blk.0.attn_q.weight" as it is, or "model.layers.0.self_attn.q_proj.weight".
[[nodiscard]] std::string llama_tensor_name(Convention convention, std::string_view gguf_name);

// For each row of queries or keys in a GGUF file, the row of transformers that it is. The heads' width is
// even.
[[nodiscard]] std::vector<uint32_t> interleaved_rows(uint32_t heads, uint32_t head_width);

}  // namespace linnet
