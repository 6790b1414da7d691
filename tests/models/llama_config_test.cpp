#include "models/llama_config.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "files/gguf.h"
#include "runtime/tiny_model.h"

namespace linnet {
namespace {

using testing::TemporaryPath;

// The configuration of a tiny model whose metadata was changed.
template <class Change>
LlamaConfig read_changed(Change change, std::vector<GgufTensor> tensors = testing::tiny_tensors({})) {
  Metadata metadata = testing::tiny_metadata({});
  change(metadata);
  const TemporaryPath path;
  testing::write_header_only(path, metadata, tensors);
  return read_llama_config(open_gguf(path));
}

template <class Change>
void expect_model_error(Change change, std::string_view part) {
  try {
    (void)read_changed(change);
    FAIL() << "expected an error with '" << part << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
  }
}

auto setting(std::string key, MetadataValue value) {
  return [key = std::move(key), value = std::move(value)](Metadata& metadata) { metadata.set(key, value); };
}
auto without(std::string key) {
  return [key = std::move(key)](Metadata& metadata) { metadata.erase(key); };
}

TEST(LlamaConfig, ReadsWhatTheFileSays) {
  const LlamaConfig config = read_changed([](Metadata&) {});
  EXPECT_EQ(config.width, 64u);
  EXPECT_EQ(config.layers, 2u);
  EXPECT_EQ(config.heads, 4u);
  EXPECT_EQ(config.kv_heads, 2u);
  EXPECT_EQ(config.head_width, 16u);
  EXPECT_EQ(config.mlp_width, 96u);
  EXPECT_EQ(config.context_length, 256u);
  EXPECT_EQ(config.rope_pairs, 8u);
  EXPECT_EQ(config.vocabulary, testing::tiny_vocabulary_size());
  EXPECT_FALSE(config.tied);
  EXPECT_TRUE(config.rope_factors.empty());
}

TEST(LlamaConfig, HasDefaultsForWhatMayBeLeftOut) {
  EXPECT_EQ(read_changed(without("llama.vocab_size")).vocabulary, testing::tiny_vocabulary_size());
  EXPECT_EQ(read_changed(without("llama.attention.head_count_kv")).kv_heads, 4u);
  EXPECT_EQ(read_changed(without("llama.rope.dimension_count")).rope_pairs, 8u);
  EXPECT_EQ(read_changed(without("llama.rope.freq_base")).rope_base, 10000.0);
}

TEST(LlamaConfig, ReadsRopeScaling) {
  EXPECT_EQ(read_changed([](Metadata& metadata) {
              metadata.set("llama.rope.scaling.type", std::string("linear"));
              metadata.set("llama.rope.scaling.factor", 4.0f);
            }).rope_scaling.linear,
            4.0);
  EXPECT_EQ(read_changed(setting("llama.rope.scale_linear", 2.0f)).rope_scaling.linear, 2.0);
  EXPECT_EQ(read_changed(setting("llama.rope.scaling.type", std::string("none"))).rope_scaling.linear, 1.0);
  expect_model_error(setting("llama.rope.scaling.type", std::string("yarn")), "'none' and 'linear', got");
}

TEST(LlamaConfig, HeadWidthMayDifferFromWidthOverHeads) {
  const LlamaConfig config = read_changed(setting("llama.attention.key_length", uint32_t{32}));
  EXPECT_EQ(config.head_width, 32u);
}

TEST(LlamaConfig, NamesTheKeyThatIsWrong) {
  expect_model_error(setting("general.architecture", std::string("gpt2")), "this version runs 'llama', got");
  expect_model_error(without("general.architecture"), "general.architecture");
  expect_model_error(without("llama.embedding_length"), "llama.embedding_length");
  expect_model_error(setting("llama.embedding_length", std::string("wide")), "llama.embedding_length");
  expect_model_error(setting("llama.attention.head_count", uint32_t{0}),
                     "'llama.attention.head_count': expected 1 to");
  expect_model_error(setting("llama.attention.head_count", uint32_t{6}), "divisor of the width 64");
  expect_model_error(setting("llama.attention.head_count_kv", uint32_t{3}), "divisor of 4 heads, got 3");
  expect_model_error(setting("llama.attention.head_count_kv", uint32_t{0}), "llama.attention.head_count_kv");
  expect_model_error(setting("llama.block_count", uint32_t{0}), "llama.block_count");
  expect_model_error(setting("llama.block_count", uint64_t{1} << 40), "llama.block_count");
  expect_model_error(setting("llama.feed_forward_length", uint64_t{1} << 33), "llama.feed_forward_length");
  expect_model_error(setting("llama.context_length", uint32_t{0}), "llama.context_length");
  expect_model_error(setting("llama.rope.dimension_count", uint32_t{15}), "an even number up to 16, got 15");
  expect_model_error(setting("llama.rope.dimension_count", uint32_t{18}), "an even number up to 16, got 18");
  expect_model_error(setting("llama.rope.freq_base", -1.0f), "llama.rope.freq_base");
  expect_model_error(setting("llama.attention.layer_norm_rms_epsilon", 0.0f), "layer_norm_rms_epsilon");
  expect_model_error(setting("llama.attention.value_length", uint32_t{8}),
                     "expected the key length 16, got 8");
  expect_model_error(setting("llama.vocab_size", uint32_t{99}), "rows of token_embd.weight, got 99");
  expect_model_error(setting("llama.expert_count", uint32_t{8}), "without experts, got 8");
}

TEST(LlamaConfig, RefusesMoreTokensThanEmbeddings) {
  expect_model_error(
      [](Metadata& metadata) {
        metadata.set("tokenizer.ggml.tokens",
                     MetadataArray(StringArray(std::vector<std::string>(1000, "x"))));
      },
      "1000 tokens, but token_embd.weight has");
}

TEST(LlamaConfig, RefusesAFileWithoutEmbeddings) {
  auto tensors = testing::tiny_tensors({});
  std::erase_if(tensors, [](const GgufTensor& tensor) { return tensor.name == "token_embd.weight"; });
  EXPECT_THROW((void)read_changed([](Metadata&) {}, tensors), Error);
}

TEST(LlamaConfig, RefusesRopeFactorsOfAnotherSize) {
  auto tensors = testing::tiny_tensors({});
  tensors.push_back({"rope_freqs.weight", {7}, Format::f32});
  EXPECT_THROW((void)read_changed([](Metadata&) {}, tensors), Error);
  tensors.back().shape = {8};  // a hole: factors of zero
  EXPECT_THROW((void)read_changed([](Metadata&) {}, tensors), Error);
}

}  // namespace
}  // namespace linnet
