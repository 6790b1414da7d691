#include "text/jinja/parser.h"

#include <algorithm>
#include <set>

#include "text/jinja/expression_parser.h"

namespace linnet::jinja {
namespace {

using Names = std::initializer_list<std::string_view>;

class Parser {
 public:
  Parser(std::string_view source, const Options& options)
      : tokens_(tokenize(source)), expressions_(tokens_, options, symbols_) {}

  [[nodiscard]] Block parse() {
    Block block = parse_block_until({});
    expressions_.refuse_unknown(0);
    symbols_.resolve(block);
    return block;
  }

 private:
  using Method = StatementPtr (Parser::*)();
  struct Keyword {
    std::string_view name;
    Method parse;
  };

  // Statements up to a tag of one of the names, whose name is then the current token; to the end of the
  // template if there are no names.
  [[nodiscard]] Block parse_block_until(Names ends) {
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

  static void append(Block& block, StatementPtr statement, int line) {
    statement->line = line;
    block.statements.push_back(std::move(statement));
  }

  [[nodiscard]] static std::string list(Names names) {
    std::string out;
    for (const std::string_view name : names) out += concat(out.empty() ? "'" : " or '", name, "'");
    return out;
  }

  // The body of a statement whose tag has just been read up to its end; leaves the end tag's name current.
  [[nodiscard]] Block parse_body(Names ends) {
    (void)tokens_.skip_symbol(":");
    tokens_.expect(TokenType::block_end, "end of statement block");
    return parse_block_until(ends);
  }

  // A body with variables of its own, up to and over its end tag.
  [[nodiscard]] Block parse_scoped_body(std::string_view end) {
    const size_t mark = expressions_.mark_unknown();
    Block body = parse_body({end});
    tokens_.next();
    expressions_.refuse_unknown(mark);
    return body;
  }

  // A scoped body that is called from elsewhere, so that `break` cannot reach the loop around it.
  [[nodiscard]] Block parse_detached_body(std::string_view end) {
    const int loops = std::exchange(loops_, 0);
    Block body = parse_scoped_body(end);
    loops_ = loops;
    return body;
  }

  [[nodiscard]] StatementPtr parse_statement(Names ends) {
    static constexpr Keyword kKeywords[] = {
        {"if", &Parser::parse_if},
        {"for", &Parser::parse_for},
        {"set", &Parser::parse_set},
        {"macro", &Parser::parse_macro},
        {"call", &Parser::parse_call},
        {"filter", &Parser::parse_filter_block},
        {"with", &Parser::parse_with},
        {"generation", &Parser::parse_generation},
        {"break", &Parser::parse_control},
        {"continue", &Parser::parse_control},
        {"print", &Parser::parse_print},
        {"block", &Parser::parse_named_block},
        {"autoescape", &Parser::parse_autoescape},
    };
    const Token& token = tokens_.expect(TokenType::name, "a tag name");
    for (const Keyword& keyword : kKeywords) {
      if (token.text == keyword.name) return (this->*keyword.parse)();
    }
    for (const std::string_view name : {"include", "import", "from", "extends"}) {
      if (token.text == name) {
        TokenStream::fail_at(token.line,
                             concat("'", name, "' is not supported: a chat template is one file"));
      }
    }
    std::string message = concat("Encountered unknown tag '", token.text, "'.");
    if (ends.size() > 0) message += concat(" Jinja was looking for the following tags: ", list(ends), ".");
    TokenStream::fail_at(token.line, message);
  }

  [[nodiscard]] StatementPtr parse_if() {
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

  [[nodiscard]] StatementPtr parse_for() {
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

  [[nodiscard]] StatementPtr parse_control() {
    auto node = std::make_unique<LoopControl>();
    const bool is_break = tokens_.previous().text == "break";
    if (loops_ == 0) tokens_.fail(concat("'", is_break ? "break" : "continue", "' outside loop"));
    node->flow = is_break ? Flow::end_loop : Flow::next_iteration;
    return node;
  }

  [[nodiscard]] StatementPtr parse_set() {
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

  // The names of a target live as long as its statement, and so until the symbols are resolved.
  void store(const Target& target) {
    for (const Target& part : target.parts) store(part);
    if (target.is_tuple) return;
    if (target.attribute.empty()) {
      symbols_.store(target.name);
    } else {
      symbols_.load(target.name);
    }
  }

  void declare_parameters(const Target& target) {
    for (const Target& part : target.parts) declare_parameters(part);
    if (!target.is_tuple) symbols_.parameter(target.name);
  }

  // name, namespace.attribute, or several with commas between; parentheses may be around.
  [[nodiscard]] Target parse_target(bool with_namespace) {
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

  [[nodiscard]] Target parse_one_target(bool with_namespace) {
    const ExpressionParser::Nesting nesting(expressions_);
    if (tokens_.skip_symbol("(")) {
      Target inner = parse_target(with_namespace);
      tokens_.expect_symbol(")");
      return inner;
    }
    Target target;
    const Token& token = tokens_.expect(TokenType::name, "a name to assign to");
    target.line = token.line;
    target.name = token.text;
    for (const std::string_view constant : {"true", "false", "none", "True", "False", "None"}) {
      if (target.name == constant) tokens_.fail("can't assign to 'const'");
    }
    if (with_namespace && tokens_.skip_symbol(".")) {
      target.attribute = tokens_.expect(TokenType::name, "a name").text;
    } else if (target.name == "loop" && enclosing_loops_ > 0) {
      tokens_.fail("Can't assign to special loop variable in for-loop target");
    }
    return target;
  }

  void parse_parameters(MacroDefinition& definition) {
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

  // In the scope of the macro, which ends here. The parameters must stay where they are.
  void parse_macro_body(MacroDefinition& definition, std::string_view end) {
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
    seen.loop |= before.loop;
    seen.caller |= before.caller;
    seen.kwargs |= before.kwargs;
    seen.varargs |= before.varargs;
  }

  [[nodiscard]] StatementPtr parse_macro() {
    auto node = std::make_unique<DefineMacro>();
    node->definition.name = tokens_.expect(TokenType::name, "the name of the macro").text;
    symbols_.store(node->definition.name);
    symbols_.begin_scope(&node->definition.body);
    parse_parameters(node->definition);
    parse_macro_body(node->definition, "endmacro");
    return node;
  }

  [[nodiscard]] StatementPtr parse_call() {
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

  [[nodiscard]] StatementPtr parse_filter_block() {
    auto node = std::make_unique<FilterBlock>();
    node->filtered = expressions_.parse_filters(std::make_unique<CapturedText>(), true);
    symbols_.begin_scope(&node->body);
    node->body = parse_scoped_body("endfilter");
    symbols_.end_scope();
    return node;
  }

  [[nodiscard]] StatementPtr parse_with() {
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

  [[nodiscard]] StatementPtr parse_generation() {
    auto node = std::make_unique<ScopedBlock>();
    symbols_.begin_scope(&node->body);
    node->body = parse_detached_body("endgeneration");
    symbols_.end_scope();
    return node;
  }

  [[nodiscard]] StatementPtr parse_named_block() {
    auto node = std::make_unique<ScopedBlock>();
    const std::string name = tokens_.expect(TokenType::name, "the name of the block").text;
    node->sees_surroundings = tokens_.skip_name("scoped");
    symbols_.begin_scope(&node->body);
    node->body = parse_detached_body("endblock");
    symbols_.end_scope();
    (void)tokens_.skip_name(name);
    return node;
  }

  // Nothing is ever escaped in a chat template, so only switching it off has a meaning.
  [[nodiscard]] StatementPtr parse_autoescape() {
    if (!tokens_.skip_name("false") && !tokens_.skip_name("False"))
      tokens_.fail("'autoescape' is not supported");
    auto node = std::make_unique<ScopedBlock>();
    symbols_.begin_scope(&node->body);
    node->body = parse_scoped_body("endautoescape");
    symbols_.end_scope();
    return node;
  }

  [[nodiscard]] StatementPtr parse_print() {
    auto node = std::make_unique<ValueOutput>();
    node->value = expressions_.parse_expression();
    return node;
  }

  TokenStream tokens_;
  Symbols symbols_;
  ExpressionParser expressions_;
  int loops_ = 0;            // that `break` can reach
  int enclosing_loops_ = 0;  // all, also from inside a macro
};

}  // namespace

Block parse_template(std::string_view source, const Options& options) {
  if (source.size() > options.max_source) {
    throw TemplateError(ErrorKind::model, 1,
                        concat("a template of more than ", options.max_source, " bytes"));
  }
  return Parser(source, options).parse();
}

}  // namespace linnet::jinja
