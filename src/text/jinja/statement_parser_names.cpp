// Statements that give names to values: set, macro, call; and what they assign to.
#include <algorithm>
#include <set>

#include "text/jinja/statement_parser.h"

namespace linnet::jinja {

StatementPtr StatementParser::parse_set() {
  Target target = parse_target(true);
  if (tokens_.skip_symbol("=")) {
    auto node = std::make_unique<Set>();
    node->target = std::move(target);
    node->value = expressions_.parse_tuple();
    store(node->target);
    return node;
  }
  auto node = std::make_unique<SetBlock>();
  node->target = std::move(target);
  store(node->target);
  symbols_.begin_scope(&node->body);
  if (tokens_.at_symbol("|"))
    node->filtered = expressions_.parse_filters(std::make_unique<CapturedText>(), false);
  node->body = parse_scoped_body("endset");
  symbols_.end_scope();
  return node;
}

void StatementParser::store(const Target& target) {
  for (const Target& part : target.parts) store(part);
  if (target.is_tuple) return;
  if (target.attribute.empty()) {
    symbols_.store(target.name);
  } else {
    symbols_.load(target.name);
  }
}

void StatementParser::declare_parameters(const Target& target) {
  for (const Target& part : target.parts) declare_parameters(part);
  if (!target.is_tuple) symbols_.parameter(target.name);
}

Target StatementParser::parse_target(bool with_namespace) {
  Target first = parse_one_target(with_namespace);
  if (!tokens_.at_symbol(",")) return first;
  Target all;
  all.line = first.line;
  all.is_tuple = true;
  all.parts.push_back(std::move(first));
  while (tokens_.skip_symbol(",")) {
    if (tokens_.at_symbol("=") || tokens_.at_symbol(")") || tokens_.at(TokenType::block_end)) break;
    all.parts.push_back(parse_one_target(with_namespace));
  }
  return all;
}

Target StatementParser::parse_one_target(bool with_namespace) {
  const ExpressionParser::Nesting nesting(expressions_);
  if (tokens_.skip_symbol("(")) {
    Target inner = parse_target(with_namespace);
    tokens_.expect_symbol(")");
    return inner;
  }
  Target target = parse_plain_name();
  if (with_namespace && tokens_.skip_symbol(".")) {
    target.attribute = tokens_.expect(TokenType::name, "a name").text;
  } else if (target.name == "loop" && enclosing_loops_ > 0) {
    tokens_.fail("Can't assign to special loop variable in for-loop target");
  }
  return target;
}

Target StatementParser::parse_plain_name() {
  Target target;
  const Token& token = tokens_.expect(TokenType::name, "a name to assign to");
  target.line = token.line;
  target.name = token.text;
  for (const std::string_view constant : {"true", "false", "none", "True", "False", "None"}) {
    if (target.name == constant) tokens_.fail("can't assign to 'const'");
  }
  return target;
}

void StatementParser::parse_parameters(MacroDefinition& definition) {
  std::set<std::string> names;
  tokens_.expect_symbol("(");
  while (!tokens_.at_symbol(")")) {
    if (!definition.parameters.empty()) tokens_.expect_symbol(",");
    MacroDefinition::Parameter parameter{tokens_.expect(TokenType::name, "a parameter name").text, nullptr};
    if (tokens_.skip_symbol("=")) {
      parameter.default_value = expressions_.parse_expression();
    } else if (!definition.parameters.empty() && definition.parameters.back().default_value) {
      tokens_.fail("non-default argument follows default argument");
    }
    if (!names.insert(parameter.name).second)
      tokens_.fail(concat("duplicate argument '", parameter.name, "'"));
    definition.parameters.push_back(std::move(parameter));
  }
  tokens_.expect_symbol(")");
}

void StatementParser::parse_macro_body(MacroDefinition& definition, std::string_view end) {
  const ExpressionParser::SpecialNames before = std::exchange(expressions_.seen, {});
  for (const auto& parameter : definition.parameters) symbols_.parameter(parameter.name);
  definition.body = parse_detached_body(end);
  symbols_.end_scope();
  ExpressionParser::SpecialNames& seen = expressions_.seen;
  const auto is_parameter = [&](std::string_view name) {
    return std::any_of(definition.parameters.begin(), definition.parameters.end(),
                       [&](const auto& parameter) { return parameter.name == name; });
  };
  definition.uses_caller = seen.caller && !is_parameter("caller");
  definition.uses_keywords = seen.kwargs && !is_parameter("kwargs");
  definition.uses_varargs = seen.varargs && !is_parameter("varargs");
  seen.add(before);
}

StatementPtr StatementParser::parse_macro() {
  auto node = std::make_unique<DefineMacro>();
  node->definition.name = tokens_.expect(TokenType::name, "the name of the macro").text;
  symbols_.store(node->definition.name);
  symbols_.begin_scope(&node->definition.body);
  parse_parameters(node->definition);
  parse_macro_body(node->definition, "endmacro");
  return node;
}

StatementPtr StatementParser::parse_call() {
  auto node = std::make_unique<CallBlock>();
  node->caller.name = "caller";
  symbols_.begin_scope(nullptr);
  if (tokens_.at_symbol("(")) parse_parameters(node->caller);
  symbols_.end_scope();
  ExpressionPtr call = expressions_.parse_expression();
  if (!dynamic_cast<Call*>(call.get())) tokens_.fail("expected call");
  node->call.reset(static_cast<Call*>(call.release()));
  symbols_.begin_scope(&node->caller.body);
  parse_macro_body(node->caller, "endcall");
  return node;
}

}  // namespace linnet::jinja
