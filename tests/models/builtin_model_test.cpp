// The built-in model on the devices of this build. Skipped where its file is not there.
#include <gtest/gtest.h>

#include "files/model_files.h"
#include "models/llama_fixture.h"
#include "runtime/devices.h"
#include "runtime/text_model.h"
#include "tasks/chat_prompt.h"
#include "text/model_tokenizer.h"

namespace linnet {
namespace {

using testing::Tokens;

constexpr const char* kFile = LINNET_SOURCE_DIR "/builtin/text/linnet-text.gguf";
constexpr uint32_t kRows = 128;

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

  [[nodiscard]] static std::unique_ptr<TextModel> load(Device& device,
                                                       std::optional<CompileOptions> compile = {}) {
    return std::make_unique<TextModel>(
        open_model(kFile), device,
        TextModelOptions{
            .context = 2 * kRows, .slots = 1, .prompt_rows = kRows, .logit_rows = kRows, .compile = compile});
  }

  Tokens prompt;
};

TEST_F(BuiltinModel, HasTheReferencesLogitsOnTheCpu) {
  const CompileOptions exact{.activations = Format::f32, .kv = Format::f32};
  const auto cpu = testing::open("cpu");
  const auto reference = testing::open("reference");
  testing::expect_same_logits(testing::logits_of_prompt(*load(*cpu, exact), prompt, kRows),
                              testing::logits_of_prompt(*load(*reference, exact), prompt, kRows));
}

TEST_F(BuiltinModel, DrawsTheReferencesTokensWithEightBitActivations) {
  const auto cpu = testing::open("cpu");
  const auto reference = testing::open("reference");
  EXPECT_EQ(testing::continuation_of(*load(*cpu), prompt, 12, kRows).tokens,
            testing::continuation_of(*load(*reference), prompt, 12, kRows).tokens);
}

TEST_F(BuiltinModel, HasTheSameLogitsWithOneThreadAndWithTwo) {
  const auto one = testing::open("cpu", 1);
  const auto two = testing::open("cpu", 2);
  EXPECT_EQ(testing::logits_of_prompt(*load(*one), prompt, kRows),
            testing::logits_of_prompt(*load(*two), prompt, kRows));
}

}  // namespace
}  // namespace linnet
