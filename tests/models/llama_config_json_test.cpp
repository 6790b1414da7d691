#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "models/llama_config.h"

namespace linnet {
namespace {

// A small model's config.json; of two members of one name the later counts.
LlamaConfig read(const std::string& more, const char* architecture = "LlamaForCausalLM") {
  const JsonFile file(
      std::string(R"({"architectures":[")") + architecture +
          R"("],"vocab_size":300,"hidden_size":64,"num_hidden_layers":3,"intermediate_size":96,)"
          R"("num_attention_heads":4,"max_position_embeddings":8192)" +
          more + "}",
      "config.json");
  return read_llama_json(file.root());
}

void expect_refused(const std::string& more, std::string_view fragment,
                    const char* architecture = "LlamaForCausalLM") {
  try {
    (void)read(more, architecture);
    FAIL() << "accepted; expected: " << fragment;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string_view(error.what()).find(fragment), std::string_view::npos) << error.what();
  }
}

TEST(LlamaConfigJson, HasTheDefaultsOfTransformers) {
  const LlamaConfig config = read("");
  EXPECT_EQ(config.vocabulary, 300u);
  EXPECT_EQ(config.width, 64u);
  EXPECT_EQ(config.layers, 3u);
  EXPECT_EQ(config.mlp_width, 96u);
  EXPECT_EQ(config.heads, 4u);
  EXPECT_EQ(config.kv_heads, 4u);
  EXPECT_EQ(config.head_width, 16u);
  EXPECT_EQ(config.rope_pairs, 8u);
  EXPECT_EQ(config.rope_base, 10000);
  EXPECT_EQ(config.rope_scaling.linear, 1);
  EXPECT_TRUE(config.rope_factors.empty());
  EXPECT_FLOAT_EQ(config.epsilon, 1e-6f);
  EXPECT_EQ(config.context_length, 8192u);
  EXPECT_FALSE(config.tied);
  EXPECT_EQ(config.attention_bias, false);
  EXPECT_EQ(config.mlp_bias, false);
  EXPECT_EQ(config.convention, Convention::transformers);
}

TEST(LlamaConfigJson, ReadsWhatItSays) {
  const LlamaConfig config = read(
      R"(,"num_key_value_heads":2,"head_dim":32,"rms_norm_eps":1e-05,"rope_theta":500000,)"
      R"("tie_word_embeddings":true,"attention_bias":true,"mlp_bias":true,"hidden_act":"silu","rope_scaling":null)");
  EXPECT_EQ(config.kv_heads, 2u);
  EXPECT_EQ(config.head_width, 32u);
  EXPECT_EQ(config.rope_pairs, 16u);
  EXPECT_FLOAT_EQ(config.epsilon, 1e-5f);
  EXPECT_EQ(config.rope_base, 500000);
  EXPECT_TRUE(config.tied);
  EXPECT_EQ(config.attention_bias, true);
  EXPECT_EQ(config.mlp_bias, true);
}

TEST(LlamaConfigJson, ReadsScalingInItsOldAndNewPlace) {
  EXPECT_EQ(read(R"(,"rope_scaling":{"type":"linear","factor":4})").rope_scaling.linear, 4);
  EXPECT_EQ(read(R"(,"rope_scaling":{"rope_type":"default"},"rope_theta":7)").rope_base, 7);
  const LlamaConfig config =
      read(R"(,"rope_parameters":{"rope_type":"linear","factor":2,"rope_theta":1000})");
  EXPECT_EQ(config.rope_scaling.linear, 2);
  EXPECT_EQ(config.rope_base, 1000);
  expect_refused(R"(,"rope_scaling":{"type":"yarn","factor":4})",
                 "knows 'default', 'linear' and 'llama3', got 'yarn'");
  expect_refused(R"(,"rope_scaling":{"rope_type":"dynamic","factor":4})", "rope_scaling.rope_type: ");
  expect_refused(R"(,"rope_scaling":{"factor":4})", "has a factor but no rope_type");
  expect_refused(R"(,"rope_scaling":{"type":"linear"})",
                 "rope_scaling.factor: expected a number, got nothing");
  expect_refused(R"(,"rope_scaling":{"type":"linear","factor":0})", "expected a positive number");
  expect_refused(R"(,"rope_scaling":[])", "rope_scaling: expected an object");
}

TEST(LlamaConfigJson, StretchesLongWavesAsLlama3Does) {
  const std::string scaling =
      R"("rope_type":"llama3","factor":8,"low_freq_factor":1,"high_freq_factor":4,"original_max_position_embeddings":8192)";
  const LlamaConfig config = read(R"(,"head_dim":128,"rope_theta":500000,"rope_scaling":{)" + scaling + "}");
  ASSERT_EQ(config.rope_factors.size(), 64u);
  EXPECT_EQ(config.rope_factors.front(), 1.0f);
  EXPECT_EQ(config.rope_factors.back(), 8.0f);
  // Wave 32 of 64 is 2π · 500000^(1/2) = 4443 long, between 8192/4 and 8192/1.
  const double smooth = (8192 / (2 * M_PI * std::sqrt(500000.0)) - 1) / 3;
  EXPECT_FLOAT_EQ(config.rope_factors[32], static_cast<float>(1 / ((1 - smooth) / 8 + smooth)));
  expect_refused(R"(,"rope_scaling":{)" + scaling + R"(,"high_freq_factor":1})", "more than low_freq_factor");
  expect_refused(R"(,"rope_scaling":{)" + scaling + R"(,"factor":1e300})", "gives a factor of");
}

TEST(LlamaConfigJson, TakesMistralAsFarAsItsWindowSeesEverything) {
  const char* mistral = "MistralForCausalLM";
  EXPECT_EQ(read(R"(,"num_key_value_heads":4,"sliding_window":null)", mistral).context_length, 8192u);
  EXPECT_EQ(read(R"(,"num_key_value_heads":4,"sliding_window":1000)", mistral).context_length, 1000u);
  EXPECT_EQ(read(R"(,"num_key_value_heads":4)", mistral).context_length, 4096u) << "the default of its class";
  EXPECT_EQ(read(R"(,"num_attention_heads":8)", mistral).kv_heads, 8u);
  EXPECT_EQ(read(R"(,"num_key_value_heads":4,"attention_bias":true)", mistral).attention_bias, false);
}

TEST(LlamaConfigJson, RefusesOthersByName) {
  expect_refused("", "runs LlamaForCausalLM and MistralForCausalLM, got 'BertModel'", "BertModel");
  expect_refused("", "got 'Evil\\x1B[31m'", "Evil\\u001b[31m");
  expect_refused(R"(,"architectures":null)", "model_type: expected a string, got nothing");
  expect_refused(R"(,"architectures":[],"model_type":"gpt2")", "got 'gpt2'");
  EXPECT_EQ(read(R"(,"architectures":null,"model_type":"llama")").width, 64u);
  expect_refused(R"(,"hidden_act":"gelu")", "hidden_act: this version knows 'silu', got 'gelu'");
  expect_refused(R"(,"partial_rotary_factor":0.5)", "turns whole heads");
  expect_refused(R"(,"quantization_config":{"quant_method":"gptq"})", "quantized with 'gptq'");
}

TEST(LlamaConfigJson, RefusesWhatIsMissingOrOutOfRange) {
  for (const char* key :
       {"vocab_size", "hidden_size", "num_hidden_layers", "intermediate_size", "num_attention_heads"}) {
    const std::string member = std::string(",\"") + key + "\":";
    expect_refused(member + "null",
                   std::string("config.json: ") + key + ": expected an integer, got nothing");
    expect_refused(member + "0", "0 is not between 1 and");
    expect_refused(member + "-1", "-1 is not between 1 and");
    expect_refused(member + "18446744073709551615", "18446744073709551615 is not between 1 and");
    expect_refused(member + "1e3", "expected an integer");
    expect_refused(member + "\"64\"", "expected an integer, got string");
    expect_refused(member + "4294967296", "4294967296 is not between 1 and");
  }
  expect_refused(R"(,"num_attention_heads":5)", "expected a divisor of the width 64");
  expect_refused(R"(,"num_key_value_heads":3)", "expected a divisor of 4 heads");
  expect_refused(R"(,"head_dim":15)", "head_dim: expected an even number");
  expect_refused(R"(,"hidden_size":1048576,"num_attention_heads":1)",
                 "head_dim: expected an even number up to 2048");
  expect_refused(R"(,"rms_norm_eps":-1)", "rms_norm_eps: expected a positive number");
  expect_refused(R"(,"rope_theta":"big")", "rope_theta: expected a number");
  expect_refused(R"(,"tie_word_embeddings":1)", "tie_word_embeddings: expected true or false");
  expect_refused(R"(,"architectures":"LlamaForCausalLM")", "architectures: expected an array");
}

}  // namespace
}  // namespace linnet
