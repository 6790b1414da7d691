#include "runtime/weights.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "files/gguf.h"
#include "models/llama.h"
#include "runtime/tiny_model.h"

namespace linnet {
namespace {

using testing::TemporaryPath;
using testing::TinyModel;

std::vector<JoinedWeight> join(const TensorFile& file) {
  return join_llama_weights(read_llama_metadata(file), file);
}

// Joins a file whose list of tensors was changed; returns the message of the error.
template <class Change>
std::string error_of(Change change, TinyModel model = {}) {
  std::vector<GgufTensor> tensors = testing::tiny_tensors(model);
  change(tensors);
  const TemporaryPath path;
  testing::write_header_only(path, testing::tiny_metadata(model), tensors);
  const TensorFile file = open_gguf(path);
  try {
    (void)join(file);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    return error.what();
  }
  return "";
}

GgufTensor& named(std::vector<GgufTensor>& tensors, std::string_view name) {
  return *std::ranges::find(tensors, name, &GgufTensor::name);
}

TEST(Weights, StacksPartsInOrder) {
  const TensorFile file = testing::open_tiny_model({.biases = true});
  const auto weights = join(file);
  const auto qkv =
      std::ranges::find(weights, "blk.1.attn_qkv.weight", [](const JoinedWeight& w) { return w.spec.name; });
  ASSERT_NE(qkv, weights.end());
  EXPECT_EQ(qkv->spec.shape(), Shape({64 + 32 + 32, 64}));
  ASSERT_EQ(qkv->tensors.size(), 3u);
  EXPECT_EQ(qkv->tensors[1]->name, "blk.1.attn_k.weight");
}

TEST(Weights, LeavesOutBiasesThatTheFileDoesNotHave) {
  const TensorFile file = testing::open_tiny_model({});
  for (const JoinedWeight& weight : join(file))
    EXPECT_FALSE(weight.spec.name.ends_with(".bias")) << weight.spec.name;
}

TEST(Weights, PartsOfDifferentFormatsAreResidentAsF32) {
  TinyModel model{.format = Format::f16};
  std::vector<GgufTensor> tensors = testing::tiny_tensors(model);
  named(tensors, "blk.0.attn_v.weight").format = Format::q8_0;
  const TemporaryPath path;
  testing::write_header_only(path, testing::tiny_metadata(model), tensors);
  const TensorFile file = open_gguf(path);
  const auto weights = join(file);
  const auto format_of = [&](std::string_view name) {
    return std::ranges::find(weights, name, [](const JoinedWeight& weight) { return weight.spec.name; })
        ->spec.format;
  };
  EXPECT_EQ(format_of("blk.0.attn_qkv.weight"), Format::f32);
  EXPECT_EQ(format_of("blk.1.attn_qkv.weight"), Format::f16);
  EXPECT_EQ(format_of("output_norm.weight"), Format::f32);
}

TEST(Weights, NamesAMissingTensor) {
  const std::string message = error_of(
      [](auto& tensors) { std::erase_if(tensors, [](auto& t) { return t.name == "blk.1.ffn_up.weight"; }); });
  EXPECT_NE(message.find("tensor 'blk.1.ffn_up.weight' [96, 64] is missing"), std::string::npos) << message;
}

TEST(Weights, NamesATensorOfAnotherShape) {
  const std::string message = error_of([](auto& tensors) {
    named(tensors, "blk.0.attn_k.weight").shape = {64, 32};
  });
  EXPECT_NE(message.find("tensor 'blk.0.attn_k.weight': expected [32, 64], got [64, 32]"), std::string::npos)
      << message;
}

TEST(Weights, RefusesSomeBiasesOfAStackedWeightWithoutTheOthers) {
  const std::string message = error_of(
      [](auto& tensors) { std::erase_if(tensors, [](auto& t) { return t.name == "blk.0.attn_k.bias"; }); },
      {.biases = true});
  EXPECT_NE(message.find("'blk.0.attn_k.bias'"), std::string::npos) << message;
}

TEST(Weights, RefusesTensorsThatTheModelWouldIgnore) {
  const std::string message = error_of([](auto& tensors) {
    tensors.push_back({"blk.0.attn_q_norm.weight", {16}, Format::f32});
  });
  EXPECT_NE(message.find("blk.0.attn_q_norm.weight"), std::string::npos) << message;
}

}  // namespace
}  // namespace linnet
