// Conversations as tokens.
#include "tasks/chat_prompt.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "runtime/tiny_model.h"

namespace linnet {
namespace {

constexpr const char* kTemplate =
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}";

ChatTemplate with_source(std::string source) {
  ChatTemplate chat;
  chat.source = std::move(source);
  chat.bos_token = "<s>";
  return chat;
}

TEST(ChatPrompt, HasEveryMessageAndTheBeginningOfTheAnswer) {
  const std::vector<Message> messages = {
      {"system", "Be brief."}, {"user", "Hé, 東京"}, {"assistant", "Yes."}};
  EXPECT_EQ(chat_text(with_source(kTemplate), messages),
            "<s>[system]Be brief.[user]Hé, 東京[assistant]Yes.[assistant]");
}

TEST(ChatPrompt, IsRefusedByTheTemplateOrForIt) {
  const std::vector<Message> messages = {{"user", "Hello"}};
  const auto kind_of = [&](const char* source) {
    try {
      (void)chat_text(with_source(source), messages);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::failure;
  };
  EXPECT_EQ(kind_of("{{ raise_exception('no') }}"), ErrorKind::usage);
  EXPECT_EQ(kind_of("{% if %}"), ErrorKind::model);
}

TEST(ChatPrompt, BeginsWithOneBosWhetherTheTemplateHasItOrNot) {
  const auto tokenizer = make_tokenizer(testing::tiny_metadata({}));
  const Token bos = tokenizer->bos().value();
  for (const char* text : {"the rain", "<s>the rain"}) {
    const std::vector<Token> tokens = encode_chat(*tokenizer, text);
    ASSERT_GT(tokens.size(), 2u);
    EXPECT_EQ(tokens[0], bos) << text;
    EXPECT_NE(tokens[1], bos) << text;
  }
}

TEST(ChatPrompt, SpecialTokensAreThoseTokensAndNothingEndsIt) {
  const auto tokenizer = make_tokenizer(testing::tiny_metadata({}));
  const std::vector<Token> tokens = encode_chat(*tokenizer, "<s>in</s>the");
  const Token eos = tokenizer->eos().value();
  EXPECT_EQ(std::ranges::count(tokens, eos), 1);
  EXPECT_NE(tokens.back(), eos);
}

}  // namespace
}  // namespace linnet
