// Generation of text: streaming, stopping, and that it is the same however it is driven.
#include "tasks/generate.h"

#include <gtest/gtest.h>

#include "runtime/sequences.h"
#include "tasks/tiny_text_model.h"

namespace linnet {
namespace {

class GenerationOn : public testing::TinyTextModelOnEachDevice {
 protected:
  void SetUp() override {
    TinyTextModelOnEachDevice::SetUp();
    if (IsSkipped()) return;
    prompt = tokenizer->encode("the rain in the west is thin and the wind is on");
  }

  std::string generate(const GenerateOptions& options) {
    std::string text;
    Generation generation(*model, *tokenizer, prompt, options, [&](std::string_view piece) {
      text += piece;
      return true;
    });
    reason = run_to_end(generation, *device);
    tokens = generation.tokens();
    stop_string = generation.stop_string();
    statistics = generation.statistics();
    return text;
  }

  std::vector<Token> prompt;
  FinishReason reason = FinishReason::none;
  std::vector<Token> tokens;
  std::string stop_string;
  GenerateStatistics statistics;
};
LINNET_FOR_EACH_DEVICE(GenerationOn);

TEST_P(GenerationOn, TextIsThatOfItsTokens) {
  const std::string text = generate({.max_tokens = 40, .ignore_end = true});
  EXPECT_EQ(reason, FinishReason::length);
  EXPECT_EQ(tokens.size(), 40u);
  EXPECT_EQ(text, detokenize(*tokenizer, tokens));
  EXPECT_EQ(tokens, testing::continuation_of(*model, prompt, 40, 16).tokens);
  EXPECT_EQ(model->free_slots(), 2u);
}

TEST_P(GenerationOn, RunningAheadChangesNothing) {
  const std::string text = generate({.max_tokens = 50, .temperature = 0.9f, .seed = 5, .ignore_end = true});
  for (const uint32_t ahead : {2u, 4u, 16u}) {
    EXPECT_EQ(
        generate(
            {.max_tokens = 50, .temperature = 0.9f, .seed = 5, .ignore_end = true, .steps_ahead = ahead}),
        text);
  }
}

TEST_P(GenerationOn, TheSeedDecides) {
  const auto with_seed = [&](uint64_t seed) {
    return generate({.max_tokens = 40, .temperature = 1.2f, .top_k = 60, .top_p = 0.95f, .seed = seed});
  };
  const std::string text = with_seed(7);
  EXPECT_EQ(with_seed(7), text);
  EXPECT_NE(with_seed(8), text);
  EXPECT_NE(with_seed(7 + (uint64_t{1} << 32)), text) << "all 64 bits of the seed count";
}

TEST_P(GenerationOn, FirstPieceComesBeforeTheLastTokenIsComputed) {
  std::vector<uint32_t> computed;  // tokens in the slot when each piece came
  Generation generation(*model, *tokenizer, prompt, {.max_tokens = 30, .ignore_end = true},
                        [&](std::string_view) {
                          computed.push_back(model->sampled(0));
                          return true;
                        });
  run_to_end(generation, *device);
  ASSERT_GT(computed.size(), 5u);
  EXPECT_LE(computed.front(), 4u);
  EXPECT_TRUE(std::ranges::is_sorted(computed));
}

TEST_P(GenerationOn, StepsDoNotWait) {
  Generation generation(*model, *tokenizer, prompt, {.max_tokens = 5, .ignore_end = true, .steps_ahead = 2});
  generation.step();
  EXPECT_FALSE(generation.idle()) << "completions run in poll() only";
  EXPECT_TRUE(generation.tokens().empty());
  while (!generation.finished()) {
    generation.step();
    device->poll();
  }
  EXPECT_EQ(generation.tokens().size(), 5u);
}

TEST_P(GenerationOn, StopStringEndsTheTextBeforeIt) {
  const std::string all = generate({.max_tokens = 60, .ignore_end = true});
  ASSERT_GT(all.size(), 20u);
  const size_t at = all.size() / 2;
  size_t begin = at;
  while ((static_cast<unsigned char>(all[begin]) & 0xC0) == 0x80) --begin;  // of a character
  const std::string stop = all.substr(begin, 6);
  const std::string text = generate({.max_tokens = 60, .stop = {stop}, .ignore_end = true, .steps_ahead = 4});
  EXPECT_EQ(reason, FinishReason::stop);
  EXPECT_EQ(text, all.substr(0, all.find(stop)));
  EXPECT_EQ(stop_string, stop);
  EXPECT_EQ(model->free_slots(), 2u);
}

TEST_P(GenerationOn, WhatAStopStringHeldBackComesAtTheEnd) {
  const std::string all = generate({.max_tokens = 30, .ignore_end = true});
  EXPECT_EQ(generate({.max_tokens = 30, .stop = {all.substr(all.size() - 1) + "\n\n"}, .ignore_end = true}),
            all);
  EXPECT_EQ(reason, FinishReason::length);
}

// A model whose end-of-generation token is one that greedy decoding reaches.
TEST_P(GenerationOn, EndOfGenerationTokenEndsIt) {
  generate({.max_tokens = 40, .ignore_end = true});
  const std::vector<Token> all = tokens;
  const Token end = all[20];
  const auto first = static_cast<size_t>(std::ranges::find(all, end) - all.begin());
  Metadata metadata = testing::tiny_metadata({});
  metadata.set("tokenizer.ggml.eos_token_id", static_cast<uint32_t>(end));
  tokenizer = make_tokenizer(metadata);
  for (const uint32_t ahead : {1u, 4u}) {
    const std::string text = generate({.max_tokens = 40, .steps_ahead = ahead});
    EXPECT_EQ(reason, FinishReason::stop);
    ASSERT_EQ(tokens.size(), first);
    EXPECT_TRUE(std::ranges::equal(tokens, std::span(all).first(first)));
    EXPECT_EQ(text, detokenize(*tokenizer, tokens));
    EXPECT_EQ(stop_string, "");
  }
}

TEST_P(GenerationOn, TwoGenerationsShareAModel) {
  const std::string alone_a = generate({.max_tokens = 30, .ignore_end = true});
  const std::string alone_b = generate({.max_tokens = 45, .temperature = 1, .seed = 3, .ignore_end = true});
  std::string a, b;
  Generation first(*model, *tokenizer, prompt, {.max_tokens = 30, .ignore_end = true},
                   [&](std::string_view piece) {
                     a += piece;
                     return true;
                   });
  Generation second(*model, *tokenizer, prompt,
                    {.max_tokens = 45, .temperature = 1, .seed = 3, .ignore_end = true},
                    [&](std::string_view piece) {
                      b += piece;
                      return true;
                    });
  while (!first.finished() || !second.finished()) {
    first.step();
    second.step();
    device->poll();
  }
  EXPECT_EQ(a, alone_a);
  EXPECT_EQ(b, alone_b);
}

TEST_P(GenerationOn, StatisticsCountTokensAndTime) {
  generate({.max_tokens = 20, .ignore_end = true});
  EXPECT_EQ(statistics.prompt_tokens, prompt.size());
  EXPECT_EQ(statistics.generated_tokens, 20u);
  EXPECT_GT(statistics.first_token_seconds, 0);
  EXPECT_GT(statistics.decode_seconds, 0);
  EXPECT_NEAR(statistics.decode_speed(), 19 / statistics.decode_seconds, 1e-6);
  EXPECT_GT(statistics.prompt_speed(), 0);
}

}  // namespace
}  // namespace linnet
