// A conversation as the tokens that a model is given: through its chat template, then its tokenizer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace linnet {

struct Message {
  std::string role;
  std::string content;
};

// With the beginning of the assistant's next message at its end. Throws Error(usage) if the template refuses
// the conversation, Error(model) if it is no valid template.
[[nodiscard]] std::string chat_text(const ChatTemplate& chat, std::span<const Message> messages);

// Special tokens written out in the text become those tokens, also where a message spells one, as in
// transformers. BOS is put in front where the tokenizer asks for it and the template has not; EOS never is:
// it would end the answer before it began.
[[nodiscard]] std::vector<Token> encode_chat(const Tokenizer& tokenizer, std::string_view text);

}  // namespace linnet
