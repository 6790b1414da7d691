// TextModel's conversations.
#include "api/text_model.h"
#include "tasks/chat_prompt.h"

namespace linnet::v0 {
namespace {

[[nodiscard]] std::string text_of(const TextModel::Impl& impl, const std::vector<Message>& messages) {
  const auto chat = chat_template_of(impl.model.files());
  if (!chat) fail(linnet::ErrorKind::model, "the model has no chat template; generate() takes plain text");
  if (messages.empty()) fail(linnet::ErrorKind::usage, "messages: expected at least one, got none");
  std::vector<linnet::Message> given;
  given.reserve(messages.size());
  for (const Message& message : messages) given.push_back({message.role, message.content});
  return chat_text(*chat, given);
}

[[nodiscard]] std::vector<Token> tokens_of(const TextModel::Impl& impl,
                                           const std::vector<Message>& messages) {
  return encode_chat(*impl.tokenizer, text_of(impl, messages));
}

}  // namespace

Generated TextModel::chat(const std::vector<Message>& messages, const GenerateOptions& options,
                          const TextCallback& on_text) {
  return at_boundary([&] {
    Impl& impl = Impl::of(impl_);
    return impl.generate(tokens_of(impl, messages), options, on_text, &impl.kept);
  });
}

bool TextModel::has_chat_template() const {
  return at_boundary([&] { return chat_template_of(Impl::of(impl_).model.files()).has_value(); });
}

std::string TextModel::chat_prompt(const std::vector<Message>& messages) const {
  return at_boundary([&] { return text_of(Impl::of(impl_), messages); });
}

uint32_t TextModel::chat_tokens(const std::vector<Message>& messages) const {
  return at_boundary([&] { return static_cast<uint32_t>(tokens_of(Impl::of(impl_), messages).size()); });
}

}  // namespace linnet::v0
