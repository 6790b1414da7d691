// What follows an operand: .name, [key], (arguments), | filters and is tests.
#include <algorithm>
#include <set>

#include "text/jinja/expression_parser.h"

namespace linnet::jinja {

size_t ExpressionParser::height_of(const CallArguments& arguments) {
  size_t height = height_of(arguments.positional);
  for (const auto& [name, value] : arguments.keywords) height = std::max(height, value->height);
  if (arguments.all_positional) height = std::max(height, arguments.all_positional->height);
  if (arguments.all_keywords) height = std::max(height, arguments.all_keywords->height);
  return height;
}

ExpressionPtr ExpressionParser::parse_postfix(ExpressionPtr node) {
  for (;;) {
    if (tokens_.at_symbol(".")) {
      node = parse_attribute(std::move(node));
    } else if (tokens_.at_symbol("[")) {
      node = parse_subscript(std::move(node));
    } else if (tokens_.at_symbol("(")) {
      node = parse_call(std::move(node));
    } else {
      return node;
    }
    check_height(node->height);
  }
}

ExpressionPtr ExpressionParser::parse_filters_and_tests(ExpressionPtr node) {
  for (;;) {
    if (tokens_.at_symbol("|")) {
      node = parse_filters(std::move(node), false);
    } else if (tokens_.at_name("is")) {
      node = parse_test(std::move(node));
    } else if (tokens_.at_symbol("(")) {
      node = parse_call(std::move(node));
    } else {
      return node;
    }
    check_height(node->height);
  }
}

ExpressionPtr ExpressionParser::parse_attribute(ExpressionPtr object) {
  const int line = tokens_.next().line;
  if (tokens_.at(TokenType::integer)) {  // object.0
    auto node = std::make_unique<Subscript>();
    node->key = std::make_unique<Constant>(Value::integer(tokens_.next().integer));
    node->line = line;
    node->height = object->height + 1;
    node->object = std::move(object);
    return node;
  }
  auto node = std::make_unique<Attribute>();
  node->name = tokens_.expect(TokenType::name, "name or number").text;
  node->line = line;
  node->height = object->height + 1;
  node->object = std::move(object);
  return node;
}

ExpressionPtr ExpressionParser::parse_subscript(ExpressionPtr object) {
  const Nesting nesting(*this);
  const int line = tokens_.next().line;
  if (tokens_.at_symbol(":")) return parse_slice(std::move(object), nullptr);
  auto node = std::make_unique<Subscript>();
  node->line = line;
  if (tokens_.at_symbol("]")) {
    node->key = std::make_unique<TupleDisplay>();
  } else {
    ExpressionPtr key = parse_expression();
    if (tokens_.at_symbol(":")) return parse_slice(std::move(object), std::move(key));
    if (tokens_.at_symbol(",")) {
      auto keys = std::make_unique<TupleDisplay>();
      keys->items.push_back(std::move(key));
      while (tokens_.skip_symbol(",") && !tokens_.at_symbol("]")) keys->items.push_back(parse_expression());
      keys->height = height_of(keys->items) + 1;
      key = std::move(keys);
    }
    node->key = std::move(key);
  }
  tokens_.expect_symbol("]");
  node->height = std::max(object->height, node->key->height) + 1;
  node->object = std::move(object);
  return node;
}

// At the first colon.
ExpressionPtr ExpressionParser::parse_slice(ExpressionPtr object, ExpressionPtr start) {
  auto node = std::make_unique<SliceSubscript>();
  node->line = tokens_.line();
  node->start = std::move(start);
  tokens_.expect_symbol(":");
  if (!tokens_.at_symbol(":") && !tokens_.at_symbol("]")) node->stop = parse_expression();
  if (tokens_.skip_symbol(":") && !tokens_.at_symbol("]")) node->step = parse_expression();
  tokens_.expect_symbol("]");
  node->object = std::move(object);
  for (const auto* part : {&node->object, &node->start, &node->stop, &node->step}) {
    if (*part) node->height = std::max(node->height, (*part)->height + 1);
  }
  return node;
}

ExpressionPtr ExpressionParser::parse_call(ExpressionPtr function) {
  auto node = std::make_unique<Call>();
  node->line = tokens_.line();
  node->arguments = parse_arguments();
  node->height = std::max(function->height, height_of(node->arguments)) + 1;
  node->function = std::move(function);
  return node;
}

CallArguments ExpressionParser::parse_arguments() {
  const Nesting nesting(*this);
  CallArguments arguments;
  std::set<std::string> keywords;
  const int line = tokens_.line();
  const auto require = [&](bool condition) {
    if (!condition) TokenStream::fail_at(line, "invalid syntax for function call expression");
  };
  tokens_.expect_symbol("(");
  for (bool first = true; !tokens_.at_symbol(")"); first = false) {
    if (!first) {
      tokens_.expect_symbol(",");
      if (tokens_.at_symbol(")")) break;
    }
    if (tokens_.skip_symbol("*")) {
      require(!arguments.all_positional && !arguments.all_keywords);
      arguments.all_positional = parse_expression();
    } else if (tokens_.skip_symbol("**")) {
      require(!arguments.all_keywords);
      arguments.all_keywords = parse_expression();
    } else if (tokens_.at(TokenType::name) && TokenStream::is_symbol(tokens_.ahead(), "=")) {
      require(!arguments.all_keywords);
      const std::string name = tokens_.next().text;
      tokens_.next();
      if (!keywords.insert(name).second) tokens_.fail(concat("keyword argument repeated: ", name));
      arguments.keywords.emplace_back(name, parse_expression());
    } else {
      require(!arguments.all_positional && !arguments.all_keywords && arguments.keywords.empty());
      arguments.positional.push_back(parse_expression());
    }
  }
  tokens_.expect_symbol(")");
  return arguments;
}

std::string ExpressionParser::parse_dotted_name() {
  std::string name = tokens_.expect(TokenType::name, "a name").text;
  while (tokens_.skip_symbol(".")) name += "." + tokens_.expect(TokenType::name, "a name").text;
  return name;
}

ExpressionPtr ExpressionParser::parse_filters(ExpressionPtr subject, bool first_pipe_is_absent) {
  while (first_pipe_is_absent || tokens_.skip_symbol("|")) {
    first_pipe_is_absent = false;
    auto node = std::make_unique<FilterCall>();
    node->line = tokens_.line();
    node->name = parse_dotted_name();
    node->filter = find_filter(node->name);
    if (!node->filter) unknown_.push_back({node->line, concat("No filter named '", node->name, "'.")});
    if (tokens_.at_symbol("(")) node->arguments = parse_arguments();
    node->height = std::max(subject->height, height_of(node->arguments)) + 1;
    node->subject = std::move(subject);
    check_height(node->height);
    subject = std::move(node);
  }
  return subject;
}

ExpressionPtr ExpressionParser::parse_test(ExpressionPtr subject) {
  auto node = std::make_unique<TestCall>();
  node->line = tokens_.next().line;
  const bool negated = tokens_.skip_name("not");
  node->name = parse_dotted_name();
  node->test = find_test(node->name);
  if (!node->test) unknown_.push_back({node->line, concat("No test named '", node->name, "'.")});
  const bool literal = tokens_.at(TokenType::name) || tokens_.at(TokenType::string) ||
                       tokens_.at(TokenType::integer) || tokens_.at(TokenType::floating) ||
                       tokens_.at_symbol("[") || tokens_.at_symbol("{");
  const bool operator_name = tokens_.at_name("else") || tokens_.at_name("or") || tokens_.at_name("and");
  if (tokens_.at_symbol("(")) {
    node->arguments = parse_arguments();
  } else if (literal && !operator_name) {
    if (tokens_.at_name("is")) tokens_.fail("You cannot chain multiple tests with is");
    node->arguments.positional.push_back(parse_postfix(parse_primary()));
  }
  node->height = std::max(subject->height, height_of(node->arguments)) + 1;
  node->subject = std::move(subject);
  if (!negated) return node;
  auto negation = std::make_unique<Not>();
  negation->line = node->line;
  negation->height = node->height + 1;
  negation->operand = std::move(node);
  return negation;
}

}  // namespace linnet::jinja
