#include "tasks/chat_prompt.h"

#include "text/jinja/chat.h"

namespace linnet {

std::string chat_text(const ChatTemplate& chat, std::span<const Message> messages) {
  jinja::Values list;
  for (const Message& message : messages) {
    jinja::Dict entry;
    entry.set("role", jinja::Value::text(message.role));
    entry.set("content", jinja::Value::text(message.content));
    list.push_back(jinja::Value::dict(std::move(entry)));
  }
  jinja::Dict request;
  request.set("messages", jinja::Value::list(std::move(list)));
  return jinja::render_chat(chat, jinja::Value::dict(std::move(request)));
}

std::vector<Token> encode_chat(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<Token> tokens =
      tokenizer.encode(text, {.add_special = false, .parse_special = true, .truncate = false});
  const std::vector<Token> around_nothing = tokenizer.encode("");
  const std::optional<Token> bos = tokenizer.bos();
  const bool wants_bos = bos && !around_nothing.empty() && around_nothing.front() == *bos;
  if (wants_bos && (tokens.empty() || tokens.front() != *bos)) tokens.insert(tokens.begin(), *bos);
  return tokens;
}

}  // namespace linnet
