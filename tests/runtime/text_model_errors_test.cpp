// What a TextModel refuses, and that nothing has happened then.
#include <gtest/gtest.h>

#include <functional>

#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/text_model.h"
#include "runtime/tiny_model.h"

namespace linnet {
namespace {

using testing::Tokens;

class TextModelErrorsOn : public testing::EachDevice {};
LINNET_FOR_EACH_DEVICE(TextModelErrorsOn);

void expect_usage_error(const std::function<void()>& call, std::string_view part) {
  try {
    call();
    FAIL() << "expected an error with '" << part << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
  }
}

TEST_P(TextModelErrorsOn, ImpossibleOptionsAreNamed) {
  const auto load = [&](const TextModelOptions& options) {
    return [this, options] { TextModel(testing::open_tiny_model({.context = 256}), *device, options); };
  };
  expect_usage_error(load({.context = 257}), "at most 256 tokens, got 257");
  expect_usage_error(load({.slots = 0}), "slots: expected 1 to 64, got 0");
  expect_usage_error(load({.slots = 65}), "slots: expected 1 to 64, got 65");
  expect_usage_error(load({.prompt_rows = 1u << 17}), "prompt rows: expected at most 65536, got 131072");
}

TEST_P(TextModelErrorsOn, RefusedPromptsChangeNothing) {
  TextModel model(
      testing::open_tiny_model({}), *device,
      {.context = 100, .slots = 2, .prompt_rows = 64, .compile = testing::steady_compile(*device)});
  const Tokens tokens = testing::some_tokens(60, 1, model.vocabulary());
  const testing::Continuation expected = testing::continuation_of(model, tokens, 5, 64);

  const uint32_t slot = model.begin({}, 65);
  const auto feed = [&](const PromptPart& part) { return [&model, part] { model.prompt({&part, 1}); }; };
  const Tokens negative{1, -1}, large{static_cast<int32_t>(model.vocabulary())};
  const Tokens many = testing::some_tokens(66, 1, model.vocabulary());
  expect_usage_error(feed({.slot = slot, .tokens = negative}), "token -1 is not in the vocabulary");
  expect_usage_error(feed({.slot = slot, .tokens = large}), "is not in the vocabulary");
  expect_usage_error(feed({.slot = slot, .tokens = many}),
                     "66 tokens, but slot 0 has room for 65 (the context is 100)");
  expect_usage_error(feed({.slot = slot, .tokens = std::span(many).first(65)}), "65 rows, at most 64");
  expect_usage_error(feed({.slot = slot, .tokens = {}}), "no tokens");
  expect_usage_error(feed({.slot = 1, .tokens = tokens}), "slot 1 holds no sequence");
  expect_usage_error(feed({.slot = slot, .tokens = tokens, .logits = 3}), "3 rows with logits, at most 2");
  const std::vector<PromptPart> twice(2, {.slot = slot, .tokens = std::span(tokens).first(3)});
  expect_usage_error([&] { model.prompt(twice); }, "slot 0 is there twice");

  const PromptPart part{.slot = slot, .tokens = tokens, .generate = 5};
  model.prompt({&part, 1});
  expect_usage_error(feed(part), "truncate it first");
  while (model.generating(slot)) model.decode();
  EXPECT_EQ(testing::sampled_tokens(model, slot), expected.tokens);
}

TEST_P(TextModelErrorsOn, SlotsAndContextHaveLimits) {
  TextModel model(testing::open_tiny_model({}), *device, {.context = 100, .slots = 2});
  expect_usage_error([&] { (void)model.begin({}, 101); }, "101 tokens does not fit the context of 100");
  EXPECT_EQ(model.free_slots(), 2u);
  const uint32_t first = model.begin({}, 100);
  (void)model.begin({}, 100);
  expect_usage_error([&] { (void)model.begin({}, 1); }, "all 2 slots are in use");
  model.release(first);
  EXPECT_EQ(model.begin({}, 100), first);
}

TEST_P(TextModelErrorsOn, TokensThatWereNotSampledCannotBeRead) {
  TextModel model(testing::open_tiny_model({}), *device, {});
  const Tokens tokens = testing::some_tokens(8, 1, model.vocabulary());
  const uint32_t slot = model.begin({}, 20);
  const PromptPart part{.slot = slot, .tokens = tokens, .generate = 4};
  model.prompt({&part, 1});
  Tokens into(1);
  const auto read = [&](uint32_t first) {
    return [&model, &into, slot, first] { model.read_tokens(slot, first, into, {}); };
  };
  expect_usage_error(read(7), "the slot can give 8 to 9");
  expect_usage_error(read(9), "the slot can give 8 to 9");
  expect_usage_error([&] { model.truncate(slot, 9); }, "has stored 8");
}

TEST_P(TextModelErrorsOn, LoadingReportsItsProgress) {
  std::vector<size_t> done;
  size_t total = 0;
  TextModel model(testing::open_tiny_model({}), *device, {}, [&](size_t bytes, size_t all) {
    done.push_back(bytes);
    total = all;
  });
  ASSERT_FALSE(done.empty());
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_EQ(done.back(), total);
}

}  // namespace
}  // namespace linnet
