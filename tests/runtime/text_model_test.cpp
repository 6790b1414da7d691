// One set of weights, many ways to run a sequence: all give the same numbers.
#include "runtime/text_model.h"

#include <gtest/gtest.h>

#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/tiny_model.h"

namespace linnet {
namespace {

using testing::Continuation;
using testing::Logits;
using testing::same_logits;
using testing::Tokens;

class TextModelOn : public testing::EachDevice {
 protected:
  [[nodiscard]] std::unique_ptr<TextModel> load(const testing::TinyModel& tiny,
                                                TextModelOptions options = {}) {
    options.compile = testing::steady_compile(*device);
    return std::make_unique<TextModel>(testing::open_tiny_model(tiny), *device, options);
  }
};
LINNET_FOR_EACH_DEVICE(TextModelOn);

TextModelOptions every_row_has_logits(uint32_t slots = 1) {
  return {.context = 256, .slots = slots, .prompt_rows = 128, .logit_rows = 128};
}

TEST_P(TextModelOn, PromptDoesNotDependOnItsChunks) {
  for (const Format format : {Format::f32, Format::f16, Format::bf16, Format::q8_0}) {
    const auto model = load({.format = format}, every_row_has_logits());
    const Tokens tokens = testing::some_tokens(100, 5, model->vocabulary());
    const auto whole = testing::logits_of_prompt(*model, tokens, 128);
    for (const uint32_t chunk : {1u, 7u, 64u}) {
      EXPECT_TRUE(same_logits(*device, testing::logits_of_prompt(*model, tokens, chunk), whole))
          << format << ", chunks of " << chunk;
    }
  }
}

TEST_P(TextModelOn, DecodeEqualsPrompt) {
  for (const Format format : {Format::f32, Format::f16, Format::bf16, Format::q8_0}) {
    const auto model = load({.format = format, .biases = true}, every_row_has_logits());
    const Tokens prompt = testing::some_tokens(40, 6, model->vocabulary());
    const Continuation continuation = testing::continuation_of(*model, prompt, 60, 128);
    ASSERT_EQ(continuation.tokens.size(), 60u);
    Tokens all = prompt;
    all.insert(all.end(), continuation.tokens.begin(), continuation.tokens.end() - 1);
    const auto at_once = testing::logits_of_prompt(*model, all, 128);
    for (size_t i = 0; i < continuation.logits.size(); ++i) {
      EXPECT_TRUE(same_logits(*device, continuation.logits[i], at_once[prompt.size() - 1 + i]))
          << format << ", token " << i;
    }
  }
}

TEST_P(TextModelOn, SequencesInOneBatchEqualEachAlone) {
  const auto model = load({.biases = true}, every_row_has_logits(4));
  const Tokens a = testing::some_tokens(70, 1, model->vocabulary());
  const Tokens b = testing::some_tokens(33, 2, model->vocabulary());
  const Tokens c = testing::some_tokens(5, 3, model->vocabulary());
  const auto together = testing::batched_continuations(*model, {a, b, c}, {20, 20, 7});
  const Tokens* prompts[] = {&a, &b, &c};
  for (size_t i = 0; i < together.size(); ++i) {
    const auto count = static_cast<uint32_t>(together[i].tokens.size());
    const Continuation alone = testing::continuation_of(*model, *prompts[i], count, 128);
    EXPECT_TRUE(same_logits(*device, together[i].logits, alone.logits)) << "sequence " << i;
    EXPECT_EQ(together[i].tokens, alone.tokens) << "sequence " << i;
  }
}

// A long prompt comes in parts while another sequence decodes: the steps pass over the waiting slot.
TEST_P(TextModelOn, DecodeStepsLeaveAHalfFedSlotAlone) {
  const auto model = load({}, every_row_has_logits(3));
  const Tokens a = testing::some_tokens(90, 11, model->vocabulary());
  const Tokens b = testing::some_tokens(9, 12, model->vocabulary());
  const Continuation a_alone = testing::continuation_of(*model, a, 5, 128);
  const Continuation b_alone = testing::continuation_of(*model, b, 30, 128);

  const uint32_t slot_a = model->begin({}, 95);
  const uint32_t slot_b = model->begin({}, 39);
  const PromptPart start_b{.slot = slot_b, .tokens = b, .generate = 30};
  model->prompt({&start_b, 1});
  for (const uint32_t first : {0u, 40u, 64u}) {
    const uint32_t end = first == 0 ? 40 : first == 40 ? 64 : 90;
    const PromptPart part{
        .slot = slot_a, .tokens = std::span(a).subspan(first, end - first), .generate = end == 90 ? 5u : 0u};
    model->prompt({&part, 1});
    for (int i = 0; i < 3; ++i) model->decode();
  }
  while (model->generating(slot_a) || model->generating(slot_b)) model->decode();
  EXPECT_EQ(testing::sampled_tokens(*model, slot_a), a_alone.tokens);
  EXPECT_EQ(testing::sampled_tokens(*model, slot_b), b_alone.tokens);
}

TEST_P(TextModelOn, TruncatedSequencesGoOnAsIfNothingHadFollowed) {
  const auto model = load({}, every_row_has_logits(2));
  const Tokens prompt = testing::some_tokens(30, 21, model->vocabulary());
  Tokens other = prompt;
  other.resize(25);
  const Tokens more = testing::some_tokens(12, 22, model->vocabulary());
  other.insert(other.end(), more.begin(), more.end());
  const Continuation expected = testing::continuation_of(*model, other, 10, 128);

  const uint32_t slot = model->begin({}, 100);
  const PromptPart first{.slot = slot, .tokens = prompt, .generate = 50};
  model->prompt({&first, 1});
  for (int i = 0; i < 6; ++i) model->decode();
  model->truncate(slot, 25);
  EXPECT_EQ(model->length(slot), 25u);
  EXPECT_FALSE(model->generating(slot));
  const PromptPart second{.slot = slot, .tokens = more, .generate = 10};
  model->prompt({&second, 1});
  while (model->generating(slot)) model->decode();
  EXPECT_EQ(testing::sampled_tokens(*model, slot), expected.tokens);
}

TEST_P(TextModelOn, ASlotUsedAgainKnowsNothingOfItsPast) {
  const auto model = load({}, every_row_has_logits());
  const Tokens prompt = testing::some_tokens(20, 31, model->vocabulary());
  const Continuation fresh = testing::continuation_of(*model, prompt, 10, 128);
  (void)testing::continuation_of(*model, testing::some_tokens(128, 32, model->vocabulary()), 40, 128);
  const Continuation again = testing::continuation_of(*model, prompt, 10, 128);
  EXPECT_EQ(again.tokens, fresh.tokens);
  EXPECT_EQ(again.logits, fresh.logits);
}

TEST_P(TextModelOn, FillsTheContextToItsLastToken) {
  const auto model = load({.context = 128}, {.context = 128, .slots = 2, .prompt_rows = 128});
  const Tokens prompt = testing::some_tokens(120, 41, model->vocabulary());
  const Tokens full = testing::some_tokens(128, 42, model->vocabulary());
  // A full slot stands after its last token while the other one decodes.
  const uint32_t other = model->begin({}, 128);
  const PromptPart filled{.slot = other, .tokens = full, .generate = 7};
  model->prompt({&filled, 1});
  EXPECT_EQ(model->sampled(other), 0u) << "there is no room for another token";
  const Logits before = testing::logits_row(*model, 0);
  const uint32_t slot = model->begin({}, 128);
  const PromptPart part{.slot = slot, .tokens = prompt, .generate = 100};
  model->prompt({&part, 1});
  while (model->generating(slot)) model->decode();
  EXPECT_EQ(model->length(slot), 128u);
  EXPECT_EQ(model->sampled(slot), 8u);
  // What passed over the full slot did not touch its keys and values.
  model->truncate(other, 127);
  const PromptPart last{.slot = other, .tokens = std::span(full).last(1), .generate = 0, .logits = 1};
  model->prompt({&last, 1});
  EXPECT_TRUE(same_logits(*device, testing::logits_row(*model, 0), before));
}

TEST_P(TextModelOn, RingGivesTokensAcrossItsEnd) {
  const auto model = load({}, every_row_has_logits());
  const Tokens prompt = testing::some_tokens(40, 51, model->vocabulary());
  const uint32_t slot = model->begin({}, 140);
  const PromptPart part{.slot = slot, .tokens = prompt, .generate = 100};
  model->prompt({&part, 1});
  Tokens one_by_one = testing::sampled_tokens(*model, slot);
  while (model->generating(slot)) {
    model->decode();
    one_by_one.push_back(testing::sampled_tokens(*model, slot).back());
  }
  const Tokens last = testing::sampled_tokens(*model, slot);
  ASSERT_EQ(last.size(), size_t{kRingTokens});
  EXPECT_TRUE(std::ranges::equal(last, std::span(one_by_one).last(kRingTokens)));
}

TEST_P(TextModelOn, SamplingIsAFunctionOfTheSeed) {
  const auto model = load({}, every_row_has_logits(2));
  const Tokens prompt = testing::some_tokens(10, 61, model->vocabulary());
  const auto with_seed = [&](uint32_t seed) {
    const SampleParams sampling{.temperature = 1.5f, .top_k = 50, .top_p = 0.95f, .seed_low = seed};
    return testing::continuation_of(*model, prompt, 30, 128, sampling).tokens;
  };
  EXPECT_EQ(with_seed(1), with_seed(1));
  EXPECT_NE(with_seed(1), with_seed(2));
}

TEST(TextModel, ResultsDoNotDependOnTheNumberOfThreads) {
  if (!testing::can_open("cpu")) GTEST_SKIP() << "this build has no device 'cpu'";
  for (const Format format : {Format::f32, Format::q8_0}) {
    std::vector<std::vector<Logits>> results;
    for (const unsigned threads : {1u, 2u, 3u}) {
      const auto device = testing::open("cpu", threads);
      TextModel model(testing::open_tiny_model({.format = format}), *device, every_row_has_logits());
      const Tokens tokens = testing::some_tokens(50, 71, model.vocabulary());
      results.push_back(testing::logits_of_prompt(model, tokens, 30));
      results.back().push_back(testing::continuation_of(model, tokens, 20, 128).logits.back());
    }
    EXPECT_EQ(results[1], results[0]) << format;
    EXPECT_EQ(results[2], results[0]) << format;
  }
}

}  // namespace
}  // namespace linnet
