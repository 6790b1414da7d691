// The built-in model on the devices of this build. Skipped where its file is not there.
#include <gtest/gtest.h>

#include <algorithm>

#include "files/model_files.h"
#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/text_model.h"
#include "tasks/chat_prompt.h"
#include "text/model_tokenizer.h"

namespace linnet {
namespace {

using testing::Tokens;

constexpr const char* kFile = LINNET_SOURCE_DIR "/builtin/text/linnet-text.gguf";
constexpr uint32_t kRows = 128;
constexpr uint32_t kAnswer = 6;  // tokens: fewer than the answer has, what follows its end means nothing

class BuiltinModel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFile)) GTEST_SKIP() << kFile << " is not there";
    const ModelFiles files = open_model(kFile);
    const auto chat = chat_template_of(files);
    ASSERT_TRUE(chat.has_value());
    const std::vector<Message> question = {{"user", "What is the capital of France?"}};
    prompt = encode_chat(*make_tokenizer(files), chat_text(*chat, question));
    ASSERT_LT(prompt.size(), kRows);
  }

  [[nodiscard]] static std::unique_ptr<TextModel> load(Device& device) {
    return std::make_unique<TextModel>(
        open_model(kFile), device,
        TextModelOptions{.context = 2 * kRows, .slots = 1, .prompt_rows = kRows, .logit_rows = kRows});
  }

  Tokens prompt;
};

// Of every token of the prompt, then of an answer. The file asks to be held in F32, so nothing is rounded
// here that the reference does not round.
TEST_F(BuiltinModel, HasTheReferencesLogitsOnTheCpu) {
  const auto cpu = testing::open("cpu");
  const auto reference = testing::open("reference");
  const auto on_cpu = load(*cpu);
  const auto exact = load(*reference);
  const auto got = testing::logits_of_prompt(*on_cpu, prompt, kRows);
  const auto expected = testing::logits_of_prompt(*exact, prompt, kRows);
  ASSERT_EQ(got.size(), expected.size());
  double worst = 0;
  for (size_t row = 0; row < got.size(); ++row)
    worst = std::max(worst, testing::relative_difference(got[row], expected[row]));
  EXPECT_LE(worst, 1e-5);
  RecordProperty("relative_difference", std::to_string(worst));
  EXPECT_EQ(testing::continuation_of(*on_cpu, prompt, kAnswer, kRows).tokens,
            testing::continuation_of(*exact, prompt, kAnswer, kRows).tokens);
}

TEST_F(BuiltinModel, HasTheSameLogitsWithOneThreadAndWithTwo) {
  const auto one = testing::open("cpu", 1);
  const auto two = testing::open("cpu", 2);
  EXPECT_EQ(testing::logits_of_prompt(*load(*one), prompt, kRows),
            testing::logits_of_prompt(*load(*two), prompt, kRows));
}

}  // namespace
}  // namespace linnet
