// Small random models against the results of transformers (tests/fixtures/llama/make_fixture.py).
#include <gtest/gtest.h>

#include "files/gguf.h"
#include "models/llama_fixture.h"
#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/text_model.h"

namespace linnet {
namespace {

using testing::Tokens;

// Device and fixture.
class LlamaFixture : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    if (!testing::can_open(std::get<0>(GetParam())))
      GTEST_SKIP() << "no device '" << std::get<0>(GetParam()) << "'";
    device = testing::open(std::get<0>(GetParam()));
    model = std::make_unique<TextModel>(
        open_gguf(fixture.gguf), *device,
        TextModelOptions{.context = 256,
                         .slots = 1,
                         .prompt_rows = 128,
                         .logit_rows = 128,
                         .compile = CompileOptions{.activations = Format::f32, .kv = Format::f32}});
  }
  testing::LlamaFixtureFiles fixture{std::get<1>(GetParam())};
  std::unique_ptr<Device> device;
  std::unique_ptr<TextModel> model;
};
INSTANTIATE_TEST_SUITE_P(On, LlamaFixture,
                         ::testing::Combine(::testing::Values("cpu", "reference", "cuda"),
                                            ::testing::Values("llama_tiny", "llama_tied")),
                         [](const auto& each) {
                           return std::get<0>(each.param) + "_" + std::get<1>(each.param);
                         });

TEST_P(LlamaFixture, LogitsAreThoseOfTransformers) {
  testing::expect_same_logits(testing::logits_of_prompt(*model, fixture.prompt, 128), fixture.logits);
}

TEST_P(LlamaFixture, GreedyContinuationIsThatOfTransformers) {
  ASSERT_EQ(fixture.greedy.size(), 64u);
  EXPECT_EQ(testing::continuation_of(*model, fixture.prompt, 64, 128).tokens, fixture.greedy);
  EXPECT_EQ(testing::continuation_of(*model, fixture.prompt, 64, 5).tokens, fixture.greedy)
      << "in chunks of 5";
}

TEST_P(LlamaFixture, PromptEqualsDecode) {
  const auto at_once = testing::logits_of_prompt(*model, fixture.prompt, 128);
  EXPECT_TRUE(testing::same_logits(*device, testing::logits_of_prompt(*model, fixture.prompt, 1), at_once));
  const auto continuation = testing::continuation_of(*model, fixture.prompt, 20, 128);
  Tokens all = fixture.prompt;
  all.insert(all.end(), continuation.tokens.begin(), continuation.tokens.end());
  const auto together = testing::logits_of_prompt(*model, all, 128);
  for (size_t i = 0; i < continuation.logits.size(); ++i) {
    EXPECT_TRUE(
        testing::same_logits(*device, continuation.logits[i], together[fixture.prompt.size() - 1 + i]))
        << "token " << i;
  }
}

}  // namespace
}  // namespace linnet
