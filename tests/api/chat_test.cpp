// Conversations and the built-in model, as a user of the library has them.
#include <cstdlib>
#include <filesystem>

#include "api/each_device.h"
#include "api/expect_error.h"

namespace {

constexpr const char* kAnswer = "The linnet is a small finch that sings from every hedge.";

linnet::TextModel load(const char* path, const linnet::TextOptions& options = {},
                       const linnet::Device& device = linnet::open_device("cpu")) {
  return linnet::TextModel::load(path, device, options);
}

class PublicChatOn : public OnEachDevice {};
LINNET_ON_EACH_DEVICE(PublicChatOn);

TEST_P(PublicChatOn, AnswersAConversationAndReadsOnlyWhatIsNew) {
  linnet::TextModel model = load(LINNET_TINY_CHAT_MODEL, {}, device());
  EXPECT_TRUE(model.has_chat_template());
  std::vector<linnet::Message> messages = {{"system", "Be brief."}, {"user", "Hello"}};
  std::string streamed;
  const linnet::Generated first = model.chat(messages, {}, [&](std::string_view piece) {
    streamed += piece;
    return true;
  });
  EXPECT_EQ(first.text, kAnswer);
  EXPECT_EQ(streamed, kAnswer);
  EXPECT_EQ(first.finish_reason, linnet::FinishReason::stop);
  EXPECT_EQ(first.statistics.prompt_tokens, model.chat_tokens(messages));
  EXPECT_EQ(first.statistics.kept_tokens, 0u);
  EXPECT_GT(model.last_receipt().count(), 0u);

  messages.push_back({"assistant", first.text});
  messages.push_back({"user", "And now?"});
  const linnet::Generated second = model.chat(messages);
  EXPECT_EQ(second.text, kAnswer);
  EXPECT_GE(second.statistics.kept_tokens, first.statistics.prompt_tokens);
  EXPECT_EQ(second.tokens, load(LINNET_TINY_CHAT_MODEL, {}, device()).chat(messages).tokens)
      << "as if all had been read";
}

TEST(PublicChat, TheTemplateDecidesWhatIsFed) {
  const linnet::TextModel model = load(LINNET_TINY_CHAT_MODEL);
  const std::vector<linnet::Message> messages = {{"user", "Hello"}};
  EXPECT_EQ(model.chat_prompt(messages), "<s><|user|>Hello<|end|><|assistant|>");
  EXPECT_LT(model.chat_tokens(messages), model.tokenize(model.chat_prompt(messages)).size())
      << "a special token is one token";
}

TEST(PublicChat, PlainTextBetweenAndAfterConversations) {
  linnet::TextModel model = load(LINNET_TINY_CHAT_MODEL);
  EXPECT_EQ(model.chat({{"user", "Hello"}}).text, kAnswer);
  const linnet::Generated plain = model.generate("The linnet", {.max_tokens = 3});
  EXPECT_EQ(plain.text, "is a small");
  EXPECT_EQ(plain.statistics.kept_tokens, 0u);
  EXPECT_EQ(model.chat({{"user", "Hello"}}).text, kAnswer);
}

TEST(PublicChat, MistakesAreErrorsOfTheirKind) {
  using enum linnet::ErrorKind;
  linnet::TextModel plain = load(LINNET_TINY_MODEL);
  EXPECT_FALSE(plain.has_chat_template());
  expect_error(model, "no chat template", [&] { (void)plain.chat({{"user", "Hello"}}); });
  linnet::TextModel chat = load(LINNET_TINY_CHAT_MODEL, {.context = 20});
  expect_error(usage, "messages", [&] { (void)chat.chat({}); });
  expect_error(usage, "20", [&] { (void)chat.chat({{"user", "a a a a a a a a a a a a a a a a a a"}}); });
  EXPECT_FALSE(chat.chat({{"user", "a"}}, {.max_tokens = 2}).text.empty());
}

class BuiltinPath : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("LINNET_BUILTIN"); }
};

TEST_F(BuiltinPath, IsWhatTheEnvironmentSays) {
  ::setenv("LINNET_BUILTIN", LINNET_TINY_CHAT_MODEL, 1);
  EXPECT_EQ(linnet::builtin_text_model(), LINNET_TINY_CHAT_MODEL);
  linnet::TextModel model = linnet::TextModel::load(linnet::builtin_text_model(), linnet::open_device("cpu"));
  EXPECT_EQ(model.chat({{"user", "Hello"}}).text, kAnswer);
  ::setenv("LINNET_BUILTIN", "/nowhere.gguf", 1);
  expect_error(linnet::ErrorKind::model, "/nowhere.gguf", [] { (void)linnet::builtin_text_model(); });
}

TEST_F(BuiltinPath, IsInTheBuildFolderOtherwise) {
  ::unsetenv("LINNET_BUILTIN");
  if (!std::filesystem::exists(LINNET_SOURCE_DIR "/builtin/text/linnet-text.gguf")) {
    expect_error(linnet::ErrorKind::model, "LINNET_BUILTIN", [] { (void)linnet::builtin_text_model(); });
    GTEST_SKIP() << "builtin/text/linnet-text.gguf is not there";
  }
  EXPECT_TRUE(std::filesystem::equivalent(linnet::builtin_text_model(),
                                          LINNET_SOURCE_DIR "/builtin/text/linnet-text.gguf"));
}

}  // namespace
