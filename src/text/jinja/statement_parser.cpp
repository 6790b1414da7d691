// Bodies, and the statements that control what is rendered; names and blocks have files of their own.
#include "text/jinja/statement_parser.h"

#include <algorithm>

namespace linnet::jinja {

Block StatementParser::parse_block_until(Names ends) {
  const ExpressionParser::Nesting nesting(expressions_);
  Block block;
  for (;;) {
    const int line = tokens_.line();
    if (tokens_.at(TokenType::end)) {
      if (ends.size() == 0) return block;
      tokens_.fail(
          concat("Unexpected end of template. Jinja was looking for the following tags: ", list(ends)));
    }
    if (tokens_.at(TokenType::text)) {
      auto output = std::make_unique<TextOutput>();
      output->text = tokens_.next().text;
      append(block, std::move(output), line);
    } else if (tokens_.at(TokenType::print_begin)) {
      tokens_.next();
      auto output = std::make_unique<ValueOutput>();
      output->value = expressions_.parse_tuple();
      tokens_.expect(TokenType::print_end, "end of print statement");
      append(block, std::move(output), line);
    } else {
      tokens_.expect(TokenType::block_begin, "'{%'");
      if (std::any_of(ends.begin(), ends.end(), [&](auto name) { return tokens_.at_name(name); }))
        return block;
      append(block, parse_statement(ends), line);
      tokens_.expect(TokenType::block_end, "end of statement block");
    }
  }
}

void StatementParser::append(Block& block, StatementPtr statement, int line) {
  statement->line = line;
  block.statements.push_back(std::move(statement));
}

std::string StatementParser::list(Names names) {
  std::string out;
  for (const std::string_view name : names) out += concat(out.empty() ? "'" : " or '", name, "'");
  return out;
}

Block StatementParser::parse_body(Names ends) {
  (void)tokens_.skip_symbol(":");
  tokens_.expect(TokenType::block_end, "end of statement block");
  return parse_block_until(ends);
}

Block StatementParser::parse_scoped_body(std::string_view end) {
  const size_t mark = expressions_.mark_unknown();
  Block body = parse_body({end});
  tokens_.next();
  expressions_.refuse_unknown(mark);
  return body;
}

Block StatementParser::parse_detached_body(std::string_view end) {
  const int loops = std::exchange(loops_, 0);
  Block body = parse_scoped_body(end);
  loops_ = loops;
  return body;
}

StatementPtr StatementParser::parse_statement(Names ends) {
  static constexpr Keyword kKeywords[] = {
      {"if", &StatementParser::parse_if},
      {"for", &StatementParser::parse_for},
      {"set", &StatementParser::parse_set},
      {"macro", &StatementParser::parse_macro},
      {"call", &StatementParser::parse_call},
      {"filter", &StatementParser::parse_filter_block},
      {"with", &StatementParser::parse_with},
      {"generation", &StatementParser::parse_generation},
      {"break", &StatementParser::parse_control},
      {"continue", &StatementParser::parse_control},
      {"print", &StatementParser::parse_print},
      {"block", &StatementParser::parse_named_block},
      {"include", &StatementParser::parse_include},
      {"import", &StatementParser::parse_import},
      {"from", &StatementParser::parse_from},
      {"extends", &StatementParser::parse_extends},
      {"autoescape", &StatementParser::parse_autoescape},
  };
  const Token& token = tokens_.expect(TokenType::name, "a tag name");
  for (const Keyword& keyword : kKeywords) {
    if (token.text == keyword.name) return (this->*keyword.parse)();
  }
  std::string message = concat("Encountered unknown tag '", token.text, "'.");
  if (ends.size() > 0) message += concat(" Jinja was looking for the following tags: ", list(ends), ".");
  TokenStream::fail_at(token.line, message);
}

StatementPtr StatementParser::parse_if() {
  auto node = std::make_unique<If>();
  const size_t mark = expressions_.mark_unknown();
  symbols_.begin_condition();
  for (bool more = true; more;) {
    ExpressionPtr condition = expressions_.parse_tuple(false);
    node->branches.emplace_back(std::move(condition), parse_body({"elif", "else", "endif"}));
    const std::string end = tokens_.next().text;
    more = end == "elif";
    if (end == "else") {
      node->otherwise = parse_body({"endif"});
      tokens_.next();
    }
  }
  symbols_.end_condition();
  expressions_.forgive_unknown(mark);
  return node;
}

StatementPtr StatementParser::parse_for() {
  auto node = std::make_unique<For>();
  ++loops_;
  ++enclosing_loops_;
  node->target = parse_target(false);
  tokens_.expect_name("in");
  node->iterable = expressions_.parse_tuple(false);
  const size_t mark = expressions_.mark_unknown();
  if (tokens_.skip_name("if")) {
    symbols_.begin_scope(nullptr);
    node->condition = expressions_.parse_expression();
    symbols_.end_scope();
  }
  node->is_recursive = tokens_.skip_name("recursive");
  const bool seen_before = std::exchange(expressions_.seen.loop, false);
  symbols_.begin_scope(&node->body);
  symbols_.parameter("loop");
  declare_parameters(node->target);
  node->body = parse_body({"endfor", "else"});
  symbols_.end_scope();
  node->uses_loop = expressions_.seen.loop || node->is_recursive;
  expressions_.seen.loop |= seen_before;
  --loops_;
  if (tokens_.next().text == "else") {
    symbols_.begin_scope(&node->otherwise);
    node->otherwise = parse_body({"endfor"});
    symbols_.end_scope();
    tokens_.next();
  }
  --enclosing_loops_;
  expressions_.refuse_unknown(mark);
  return node;
}

StatementPtr StatementParser::parse_control() {
  auto node = std::make_unique<LoopControl>();
  const bool is_break = tokens_.previous().text == "break";
  if (loops_ == 0) tokens_.fail(concat("'", is_break ? "break" : "continue", "' outside loop"));
  node->flow = is_break ? Flow::end_loop : Flow::next_iteration;
  return node;
}

StatementPtr StatementParser::parse_filter_block() {
  auto node = std::make_unique<FilterBlock>();
  node->filtered = expressions_.parse_filters(std::make_unique<CapturedText>(), true);
  symbols_.begin_scope(&node->body);
  node->body = parse_scoped_body("endfilter");
  symbols_.end_scope();
  return node;
}

StatementPtr StatementParser::parse_with() {
  auto node = std::make_unique<With>();
  while (!tokens_.at(TokenType::block_end)) {
    if (!node->assignments.empty()) tokens_.expect_symbol(",");
    Target target = parse_target(false);
    tokens_.expect_symbol("=");
    ExpressionPtr value = expressions_.parse_expression();
    node->assignments.emplace_back(std::move(target), std::move(value));
  }
  symbols_.begin_scope(&node->body);
  for (const auto& [target, value] : node->assignments) declare_parameters(target);
  node->body = parse_scoped_body("endwith");
  symbols_.end_scope();
  return node;
}

StatementPtr StatementParser::parse_generation() {
  auto node = std::make_unique<ScopedBlock>();
  symbols_.begin_scope(&node->body);
  node->body = parse_detached_body("endgeneration");
  symbols_.end_scope();
  return node;
}

StatementPtr StatementParser::parse_autoescape() {
  if (!tokens_.skip_name("false") && !tokens_.skip_name("False"))
    tokens_.fail("'autoescape' is not supported");
  auto node = std::make_unique<ScopedBlock>();
  symbols_.begin_scope(&node->body);
  node->body = parse_scoped_body("endautoescape");
  symbols_.end_scope();
  return node;
}

StatementPtr StatementParser::parse_print() {
  auto node = std::make_unique<ValueOutput>();
  node->value = expressions_.parse_expression();
  return node;
}

}  // namespace linnet::jinja
