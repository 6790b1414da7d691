// A sequence that stays in its slot: less is read, and the text is the same.
#include "tasks/kept_sequence.h"

#include <gtest/gtest.h>

#include "runtime/sequences.h"
#include "tasks/generate.h"
#include "tasks/tiny_text_model.h"

namespace linnet {
namespace {

class KeptSequenceOn : public testing::TinyTextModelOnEachDevice {
 protected:
  struct Result {
    std::vector<Token> tokens;
    GenerateStatistics statistics;
    FinishReason reason;
  };
  Result generate(const std::vector<Token>& prompt, KeptSequence* kept, uint32_t max_tokens = 20,
                  uint64_t seed = 3, const TextCallback& on_text = {}) {
    // Warm enough that another context gives another text.
    Generation generation(
        *model, *tokenizer, prompt,
        {.max_tokens = max_tokens, .temperature = 0.8f, .seed = seed, .ignore_end = true, .steps_ahead = 3},
        on_text, kept);
    const FinishReason reason = run_to_end(generation, *device);
    return {generation.tokens(), generation.statistics(), reason};
  }

  [[nodiscard]] std::vector<Token> tokens(uint32_t count, uint32_t seed) const {
    return testing::some_tokens(count, seed, model->vocabulary());
  }

  // The prompt, what was answered to it, and something more.
  [[nodiscard]] std::vector<Token> longer(std::vector<Token> prompt, const std::vector<Token>& answer) const {
    prompt.insert(prompt.end(), answer.begin(), answer.end());
    const auto more = tokens(9, 77);
    prompt.insert(prompt.end(), more.begin(), more.end());
    return prompt;
  }
};
LINNET_FOR_EACH_DEVICE(KeptSequenceOn);

TEST_P(KeptSequenceOn, AConversationGoesOnWithTheSameTextAndReadsOnlyWhatIsNew) {
  KeptSequence kept(*model);
  std::vector<Token> prompt = tokens(40, 1);
  for (int turn = 0; turn < 4; ++turn) {
    const Result with = generate(prompt, &kept);
    const Result without = generate(prompt, nullptr);
    EXPECT_EQ(with.tokens, without.tokens) << "turn " << turn;
    EXPECT_EQ(without.statistics.kept_tokens, 0u);
    EXPECT_EQ(with.statistics.prompt_tokens, prompt.size());
    // All of the turn before but its last token, which was drawn and never fed.
    EXPECT_EQ(with.statistics.kept_tokens, turn == 0 ? 0 : prompt.size() - 10);
    prompt = longer(prompt, with.tokens);
  }
}

TEST_P(KeptSequenceOn, KeepsWhatIsCommonAndNoMore) {
  KeptSequence kept(*model);
  const std::vector<Token> prompt = tokens(40, 1);
  (void)generate(prompt, &kept);
  std::vector<Token> other = prompt;
  other[25] = other[25] == 300 ? 301 : 300;
  const Result changed = generate(other, &kept);
  EXPECT_EQ(changed.statistics.kept_tokens, 25u);
  EXPECT_EQ(changed.tokens, generate(other, nullptr).tokens);

  const Result again = generate(other, &kept);
  EXPECT_EQ(again.statistics.kept_tokens, other.size() - 1) << "the last token is fed for its logits";
  EXPECT_EQ(again.tokens, changed.tokens);

  const std::vector<Token> shorter(other.begin(), other.begin() + 10);
  const Result cut = generate(shorter, &kept);
  EXPECT_EQ(cut.statistics.kept_tokens, 9u);
  EXPECT_EQ(cut.tokens, generate(shorter, nullptr).tokens);
}

TEST_P(KeptSequenceOn, TheSeedIsThatOfTheGeneration) {
  KeptSequence kept(*model);
  const std::vector<Token> prompt = tokens(40, 1);
  const Result first = generate(prompt, &kept, 20, 5);
  const Result second = generate(prompt, &kept, 20, 6);
  EXPECT_NE(first.tokens, second.tokens);
  EXPECT_EQ(second.tokens, generate(prompt, nullptr, 20, 6).tokens);
}

TEST_P(KeptSequenceOn, AnAnswerThatWasStoppedCanBeGoneOnFrom) {
  KeptSequence kept(*model);
  const std::vector<Token> prompt = tokens(40, 1);
  int pieces = 0;
  const Result stopped = generate(prompt, &kept, 60, 3, [&](std::string_view) { return ++pieces < 4; });
  ASSERT_EQ(stopped.reason, FinishReason::cancelled);
  const std::vector<Token> next = longer(prompt, stopped.tokens);
  const Result with = generate(next, &kept);
  EXPECT_GE(with.statistics.kept_tokens, prompt.size());
  EXPECT_EQ(with.tokens, generate(next, nullptr).tokens);
}

TEST_P(KeptSequenceOn, OneThatWasCancelledInThePromptKeepsWhatWasRead) {
  KeptSequence kept(*model);
  const std::vector<Token> prompt = tokens(100, 1);
  {
    Generation early(*model, *tokenizer, prompt, {.ignore_end = true}, {}, &kept);
    early.step();  // 16 of them
    early.cancel();
    EXPECT_EQ(run_to_end(early, *device), FinishReason::cancelled);
  }
  const Result with = generate(prompt, &kept);
  EXPECT_EQ(with.statistics.kept_tokens, 16u);
  EXPECT_EQ(with.tokens, generate(prompt, nullptr).tokens);
}

TEST_P(KeptSequenceOn, AFailureForgetsItAndTheNextGenerationBeginsAnew) {
  KeptSequence kept(*model);
  const std::vector<Token> prompt = tokens(40, 1);
  EXPECT_THROW((void)generate(prompt, &kept, 20, 3,
                              [](std::string_view) -> bool { throw std::runtime_error("no paper"); }),
               std::runtime_error);
  EXPECT_EQ(model->free_slots(), 2u);
  EXPECT_EQ(generate(prompt, &kept).statistics.kept_tokens, 0u);
}

TEST_P(KeptSequenceOn, HoldsOneSlotUntilItForgets) {
  {
    KeptSequence kept(*model);
    EXPECT_EQ(model->free_slots(), 2u);
    (void)generate(tokens(40, 1), &kept);
    (void)generate(tokens(50, 2), &kept);
    EXPECT_EQ(model->free_slots(), 1u);
    kept.forget();
    EXPECT_EQ(model->free_slots(), 2u);
    (void)generate(tokens(40, 1), &kept);
  }
  EXPECT_EQ(model->free_slots(), 2u);
}

}  // namespace
}  // namespace linnet
