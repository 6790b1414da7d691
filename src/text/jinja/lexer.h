// Cuts a template into text and tokens: delimiters, whitespace control, raw blocks and comments as Jinja with
// trim_blocks and lstrip_blocks, which is how chat templates are rendered everywhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/value.h"

namespace linnet::jinja {

enum class TokenType : uint8_t {
  text,  // template data between tags
  print_begin,
  print_end,
  block_begin,
  block_end,
  name,
  string,
  integer,
  floating,
  symbol,  // an operator or bracket; its spelling is in Token::text
  end,
};

struct Token {
  TokenType type;
  int line;
  std::string text;  // of text, names and symbols; strings are without quotes and escapes
  Integer integer = 0;
  double floating = 0;
};

// The last token is always `end`. Throws TemplateError(model).
[[nodiscard]] std::vector<Token> tokenize(std::string_view source);

}  // namespace linnet::jinja
