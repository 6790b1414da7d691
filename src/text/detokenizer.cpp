#include "text/detokenizer.h"

#include "base/utf8.h"

namespace linnet {

Detokenizer::Detokenizer(const Tokenizer& tokenizer, const DetokenizeOptions& options)
    : tokenizer_(tokenizer), options_(options), at_start_(!options.continues_text) {}

std::string Detokenizer::push(Token token) {
  const bool control = tokenizer_.is_control(token);
  if (control && !options_.show_control) return {};
  const std::string piece = tokenizer_.piece(token);
  std::string_view bytes = piece;
  // The space that encoding added stands in a normal token; a byte token 0x20 or a user-defined token is the
  // text's own.
  const bool may_begin_with_added_space = tokenizer_.vocabulary().kind(token) == TokenKind::normal;
  if (at_start_ && may_begin_with_added_space && tokenizer_.adds_leading_space() && bytes.starts_with(' ')) {
    bytes.remove_prefix(1);
  }
  at_start_ = false;
  if (holds_space_) pending_ += ' ';
  holds_space_ = tokenizer_.adds_trailing_space() && bytes.ends_with(' ');
  if (holds_space_) bytes.remove_suffix(1);
  pending_ += bytes;
  return take_utf8(pending_, false);
}

std::string Detokenizer::finish() {
  std::string rest = take_utf8(pending_, true);
  at_start_ = !options_.continues_text;
  holds_space_ = false;
  return rest;
}

std::string detokenize(const Tokenizer& tokenizer, std::span<const Token> tokens,
                       const DetokenizeOptions& options) {
  Detokenizer detokenizer(tokenizer, options);
  std::string text;
  for (const Token token : tokens) text += detokenizer.push(token);
  return text + detokenizer.finish();
}

}  // namespace linnet
