// Where a generation ends before the model does, and what is refused at the start.
#include <gtest/gtest.h>

#include <functional>

#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/tiny_model.h"
#include "tasks/generate.h"

namespace linnet {
namespace {

class GenerationLimitsOn : public testing::EachDevice {
 protected:
  void SetUp() override {
    EachDevice::SetUp();
    if (IsSkipped()) return;
    model = std::make_unique<TextModel>(testing::open_tiny_model({.context = 256}), *device,
                                        TextModelOptions{.context = 100, .slots = 1, .prompt_rows = 32});
    tokenizer = make_tokenizer(model->files().tensors.metadata());
  }

  void expect_usage_error(std::vector<Token> prompt, const GenerateOptions& options, std::string_view part) {
    try {
      Generation generation(*model, *tokenizer, std::move(prompt), options);
      FAIL() << "expected an error with '" << part << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
    }
    EXPECT_EQ(model->free_slots(), 1u);
  }

  [[nodiscard]] std::vector<Token> tokens(uint32_t count) const {
    return testing::some_tokens(count, 9, model->vocabulary());
  }

  std::unique_ptr<TextModel> model;
  std::unique_ptr<Tokenizer> tokenizer;
};
LINNET_FOR_EACH_DEVICE(GenerationLimitsOn);

TEST_P(GenerationLimitsOn, StopsWhereTheContextIsFull) {
  for (const uint32_t length : {70u, 99u}) {
    for (const uint32_t max_tokens : {0u, 1000u}) {
      Generation generation(*model, *tokenizer, tokens(length),
                            {.max_tokens = max_tokens, .ignore_end = true, .steps_ahead = 4});
      EXPECT_EQ(run_to_end(generation, *device), FinishReason::context);
      EXPECT_EQ(generation.tokens().size(), 100 - length);
    }
  }
  Generation exact(*model, *tokenizer, tokens(70), {.max_tokens = 30, .ignore_end = true});
  EXPECT_EQ(run_to_end(exact, *device), FinishReason::length);
}

TEST_P(GenerationLimitsOn, RefusesAPromptThatLeavesNoRoom) {
  expect_usage_error(tokens(100), {}, "the prompt has 100 tokens and leaves no room in the context of 100");
  expect_usage_error(tokens(250), {}, "the prompt has 250 tokens");
  expect_usage_error({}, {}, "the prompt is empty");
}

TEST_P(GenerationLimitsOn, RefusesTokensAndOptionsOutOfRange) {
  expect_usage_error({1, -5}, {}, "token -5 of the prompt");
  expect_usage_error({1, 1 << 20}, {}, "token 1048576 of the prompt");
  expect_usage_error({1}, {.top_p = 0}, "top-p");
  expect_usage_error({1}, {.top_p = 1.5f}, "top-p");
  expect_usage_error({1}, {.temperature = std::numeric_limits<float>::quiet_NaN()}, "temperature");
  static_assert(GenerateOptions{}.steps_ahead == 0);  // what the device says
  expect_usage_error({1}, {.steps_ahead = 17}, "steps ahead");
  expect_usage_error({1}, {.stop = {""}}, "");
}

TEST_P(GenerationLimitsOn, TheCallbackCanStopIt) {
  int pieces = 0;
  Generation generation(*model, *tokenizer, tokens(40), {.ignore_end = true, .steps_ahead = 4},
                        [&](std::string_view) { return ++pieces < 3; });
  EXPECT_EQ(run_to_end(generation, *device), FinishReason::cancelled);
  EXPECT_EQ(pieces, 3);
  EXPECT_EQ(model->free_slots(), 1u);
}

TEST_P(GenerationLimitsOn, CanBeCancelledInThePromptAndInTheAnswer) {
  Generation early(*model, *tokenizer, tokens(90), {.ignore_end = true});
  early.step();
  early.cancel();
  EXPECT_EQ(run_to_end(early, *device), FinishReason::cancelled);
  EXPECT_TRUE(early.tokens().empty());

  Generation late(*model, *tokenizer, tokens(10), {.ignore_end = true});
  while (late.tokens().size() < 5) {
    late.step();
    device->poll();
  }
  late.cancel();
  EXPECT_EQ(run_to_end(late, *device), FinishReason::cancelled);
  EXPECT_LE(late.tokens().size(), 6u);
  EXPECT_EQ(model->free_slots(), 1u);
}

TEST_P(GenerationLimitsOn, AThrowingCallbackIsAnErrorAndTheModelGoesOn) {
  Generation failing(*model, *tokenizer, tokens(10), {.ignore_end = true},
                     [](std::string_view) -> bool { throw std::runtime_error("no paper"); });
  EXPECT_THROW(run_to_end(failing, *device), std::runtime_error);
  EXPECT_EQ(failing.reason(), FinishReason::error);
  Generation next(*model, *tokenizer, tokens(10), {.max_tokens = 3, .ignore_end = true});
  EXPECT_EQ(run_to_end(next, *device), FinishReason::length);
}

TEST_P(GenerationLimitsOn, MayBeDestroyedWithWorkInFlight) {
  {
    Generation generation(*model, *tokenizer, tokens(10), {.ignore_end = true, .steps_ahead = 8});
    generation.step();
    device->poll();
    generation.step();
    EXPECT_FALSE(generation.idle());
  }
  EXPECT_EQ(model->free_slots(), 1u);
  Generation next(*model, *tokenizer, tokens(10), {.max_tokens = 3, .ignore_end = true});
  EXPECT_EQ(run_to_end(next, *device), FinishReason::length);
}

TEST_P(GenerationLimitsOn, SaysWhenNoSlotIsFree) {
  Generation running(*model, *tokenizer, tokens(10), {});
  try {
    Generation another(*model, *tokenizer, tokens(10), {});
    FAIL() << "it has no slot";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "all 1 slots are in use");
  }
}

}  // namespace
}  // namespace linnet
