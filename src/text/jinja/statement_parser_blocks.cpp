// {% block %}, and the statements that load another template: include, import, from, extends.
#include "text/jinja/statement_parser.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {

// The symbols and special names of a block are its own: it is rendered with the variables of the template,
// wherever it stands.
StatementPtr StatementParser::parse_named_block() {
  auto node = std::make_unique<NamedBlock>();
  const Token& name = tokens_.expect(TokenType::name, "the name of the block");
  node->name = name.text;
  node->is_scoped = tokens_.skip_name("scoped");
  node->is_required = tokens_.skip_name("required");
  if (tokens_.at_symbol("-")) {
    tokens_.fail(
        "Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an "
        "underscore "
        "instead.");
  }
  if (!blocks_.emplace(node->name, node.get()).second)
    TokenStream::fail_at(name.line, concat("block '", node->name, "' defined twice"));
  const ExpressionParser::SpecialNames before = std::exchange(expressions_.seen, {});
  symbols_.begin_detached_scope(&node->body);
  node->body = parse_detached_body("endblock");
  node->uses_self = expressions_.seen.self;
  node->uses_super = expressions_.seen.super;
  if (node->uses_self) symbols_.declare("self");
  if (node->uses_super) symbols_.declare("super");
  symbols_.end_scope();
  expressions_.seen = before;
  expressions_.seen.loop |= node->is_scoped;  // which sees that of a loop around it
  if (node->is_required) require_empty(node->body);
  (void)tokens_.skip_name(node->name);
  return node;
}

void StatementParser::require_empty(const Block& body) const {
  for (const StatementPtr& statement : body.statements) {
    const auto* output = dynamic_cast<const TextOutput*>(statement.get());
    if (!output || !strip_space(output->text, true, false).empty())
      tokens_.fail("Required blocks can only contain comments or whitespace");
  }
}

std::unique_ptr<LoadTemplate> StatementParser::parse_load() {
  auto node = std::make_unique<LoadTemplate>();
  node->tag = tokens_.previous().text;
  node->source = expressions_.parse_expression();
  return node;
}

// `with context` or `without context`, which makes no difference to what cannot be loaded.
bool StatementParser::skip_context() {
  if (!tokens_.at_name("with") && !tokens_.at_name("without")) return false;
  if (!TokenStream::is_name(tokens_.ahead(), "context")) return false;
  tokens_.next();
  tokens_.next();
  return true;
}

StatementPtr StatementParser::parse_include() {
  auto node = parse_load();
  if (tokens_.at_name("ignore") && TokenStream::is_name(tokens_.ahead(), "missing")) {
    tokens_.next();
    tokens_.next();
    node->may_be_missing = true;
  }
  (void)skip_context();
  return node;
}

StatementPtr StatementParser::parse_import() {
  auto node = parse_load();
  tokens_.expect_name("as");
  node->names.push_back(parse_plain_name());
  (void)skip_context();
  store_names(*node);
  return node;
}

StatementPtr StatementParser::parse_from() {
  auto node = parse_load();
  tokens_.expect_name("import");
  for (;;) {
    if (!node->names.empty()) tokens_.expect_symbol(",");
    if (!tokens_.at(TokenType::name)) tokens_.fail_expected("a name");
    if (skip_context()) break;
    Target target = parse_plain_name();
    if (target.name.starts_with('_')) tokens_.fail("names starting with an underline can not be imported");
    if (tokens_.skip_name("as")) target = parse_plain_name();
    node->names.push_back(std::move(target));
    if (skip_context() || !tokens_.at_symbol(",")) break;
  }
  store_names(*node);
  return node;
}

StatementPtr StatementParser::parse_extends() {
  const int line = tokens_.previous().line;
  auto node = parse_load();
  if (!symbols_.is_outermost()) TokenStream::fail_at(line, "cannot use extend from a non top-level scope");
  return node;
}

// When all are there: the symbols refer to the names where they lie.
void StatementParser::store_names(const LoadTemplate& node) {
  for (const Target& target : node.names) store(target);
}

}  // namespace linnet::jinja
