#include "models/llama_names.h"

#include <gtest/gtest.h>

namespace linnet {
namespace {

TEST(LlamaNames, AreThoseOfTransformers) {
  const auto name = [](const char* gguf) { return llama_tensor_name(Convention::transformers, gguf); };
  EXPECT_EQ(name("token_embd.weight"), "model.embed_tokens.weight");
  EXPECT_EQ(name("output_norm.weight"), "model.norm.weight");
  EXPECT_EQ(name("output.weight"), "lm_head.weight");
  EXPECT_EQ(name("blk.17.attn_q.bias"), "model.layers.17.self_attn.q_proj.bias");
  EXPECT_EQ(name("blk.0.attn_output.weight"), "model.layers.0.self_attn.o_proj.weight");
  EXPECT_EQ(name("blk.0.ffn_norm.weight"), "model.layers.0.post_attention_layernorm.weight");
  EXPECT_EQ(llama_tensor_name(Convention::gguf, "blk.0.attn_q.weight"), "blk.0.attn_q.weight");
}

TEST(LlamaNames, RowsOfAHeadGoFromHalvesToPairs) {
  EXPECT_EQ(interleaved_rows(2, 6), (std::vector<uint32_t>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
}

}  // namespace
}  // namespace linnet
