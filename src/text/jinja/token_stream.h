// The tokens of a template with what a parser asks of them.
#pragma once

#include <algorithm>

#include "text/jinja/lexer.h"

namespace linnet::jinja {

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  [[nodiscard]] const Token& current() const { return tokens_[at_]; }
  [[nodiscard]] const Token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  // The token taken last; there must have been one.
  [[nodiscard]] const Token& previous() const { return tokens_[at_ - 1]; }
  [[nodiscard]] int line() const { return current().line; }

  const Token& next() {
    const Token& token = tokens_[at_];
    if (token.type != TokenType::end) ++at_;
    return token;
  }

  [[nodiscard]] bool at(TokenType type) const { return current().type == type; }
  [[nodiscard]] bool at_symbol(std::string_view symbol) const { return is_symbol(current(), symbol); }
  [[nodiscard]] bool at_name(std::string_view name) const { return is_name(current(), name); }
  [[nodiscard]] static bool is_symbol(const Token& token, std::string_view symbol) {
    return token.type == TokenType::symbol && token.text == symbol;
  }
  [[nodiscard]] static bool is_name(const Token& token, std::string_view name) {
    return token.type == TokenType::name && token.text == name;
  }

  [[nodiscard]] bool skip_symbol(std::string_view symbol) {
    if (!at_symbol(symbol)) return false;
    next();
    return true;
  }
  [[nodiscard]] bool skip_name(std::string_view name) {
    if (!at_name(name)) return false;
    next();
    return true;
  }

  void expect_symbol(std::string_view symbol) {
    if (!skip_symbol(symbol)) fail_expected(concat("'", symbol, "'"));
  }
  void expect_name(std::string_view name) {
    if (!skip_name(name)) fail_expected(concat("'", name, "'"));
  }
  const Token& expect(TokenType type, std::string_view description) {
    if (!at(type)) fail_expected(std::string(description));
    return next();
  }

  [[noreturn]] void fail(const std::string& reason) const { fail_at(line(), reason); }
  [[noreturn]] static void fail_at(int line, const std::string& reason) {
    throw TemplateError(ErrorKind::model, line, reason);
  }
  [[noreturn]] void fail_expected(const std::string& wanted) const {
    fail(concat("expected ", wanted, ", got ", describe(current())));
  }

  [[nodiscard]] static std::string describe(const Token& token) {
    switch (token.type) {
      case TokenType::text:
        return "text";
      case TokenType::print_begin:
        return "'{{'";
      case TokenType::print_end:
        return "end of print statement";
      case TokenType::block_begin:
        return "'{%'";
      case TokenType::block_end:
        return "end of statement block";
      case TokenType::name:
      case TokenType::symbol:
        return concat("'", token.text, "'");
      case TokenType::string:
        return "a string";
      case TokenType::integer:
        return "an integer";
      case TokenType::floating:
        return "a float";
      case TokenType::end:
        return "end of template";
    }
    return "";
  }

 private:
  std::vector<Token> tokens_;  // ends with TokenType::end
  size_t at_ = 0;
};

}  // namespace linnet::jinja
