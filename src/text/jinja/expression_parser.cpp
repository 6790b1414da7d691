// Operators, by precedence climbing, and what they stand between; expression_parser_postfix.cpp has what
// follows an operand.
#include "text/jinja/expression_parser.h"

#include <algorithm>
#include <optional>

namespace linnet::jinja {
namespace {

// From the loosest to the tightest, as Jinja's grammar has them.
enum Level : int { kOr, kAnd, kNot, kCompare, kSum, kConcatenate, kProduct, kPower };

struct BinaryOperator {
  std::string_view symbol;
  Level level;
  Operator op;
};

constexpr BinaryOperator kArithmetic[] = {
    {"+", kSum, Operator::add},
    {"-", kSum, Operator::subtract},
    {"*", kProduct, Operator::multiply},
    {"/", kProduct, Operator::divide},
    {"//", kProduct, Operator::floor_divide},
    {"%", kProduct, Operator::modulo},
    {"**", kPower, Operator::power},
};

constexpr std::pair<std::string_view, Comparison> kComparisons[] = {
    {"==", Comparison::equal},         {"!=", Comparison::not_equal}, {"<", Comparison::less},
    {"<=", Comparison::less_or_equal}, {">", Comparison::greater},    {">=", Comparison::greater_or_equal},
};

[[nodiscard]] const BinaryOperator* arithmetic_at(const TokenStream& tokens) {
  const auto* found = std::find_if(std::begin(kArithmetic), std::end(kArithmetic),
                                   [&](const BinaryOperator& op) { return tokens.at_symbol(op.symbol); });
  return found == std::end(kArithmetic) ? nullptr : found;
}

// Takes a comparison operator, which may be the two words `not in`.
[[nodiscard]] std::optional<Comparison> take_comparison(TokenStream& tokens) {
  for (const auto& [symbol, comparison] : kComparisons) {
    if (tokens.skip_symbol(symbol)) return comparison;
  }
  if (tokens.skip_name("in")) return Comparison::in;
  if (tokens.at_name("not") && TokenStream::is_name(tokens.ahead(), "in")) {
    tokens.next();
    tokens.next();
    return Comparison::not_in;
  }
  return std::nullopt;
}

}  // namespace

ExpressionParser::Nesting::Nesting(ExpressionParser& parser) : parser_(parser) {
  if (parser.nesting_ >= parser.options_.max_nesting) {
    parser.tokens_.fail(concat("nested more than ", parser.options_.max_nesting, " deep"));
  }
  ++parser.nesting_;
}

void ExpressionParser::refuse_unknown(size_t mark) const {
  if (unknown_.size() > mark) TokenStream::fail_at(unknown_[mark].line, unknown_[mark].message);
}

void ExpressionParser::check_height(size_t height) const {
  if (height > options_.max_depth)
    tokens_.fail(concat("an expression of more than ", options_.max_depth, " levels"));
}

size_t ExpressionParser::height_of(const Expressions& nodes) {
  size_t height = 0;
  for (const ExpressionPtr& node : nodes) height = std::max(height, node->height);
  return height;
}

template <class Node>
ExpressionPtr ExpressionParser::finish(std::unique_ptr<Node> node, int line,
                                       std::initializer_list<const Expression*> children) {
  node->line = line;
  for (const Expression* child : children) {
    if (child) node->height = std::max(node->height, child->height + 1);
  }
  check_height(node->height);
  return node;
}

ExpressionPtr ExpressionParser::parse_expression(bool with_conditional) {
  const Nesting nesting(*this);
  return with_conditional ? parse_conditional() : parse_operators(kOr);
}

ExpressionPtr ExpressionParser::parse_conditional() {
  const size_t mark = mark_unknown();
  ExpressionPtr chosen = parse_operators(kOr);
  while (tokens_.at_name("if")) {
    auto node = std::make_unique<Conditional>();
    const int line = tokens_.next().line;
    node->condition = parse_operators(kOr);
    if (tokens_.skip_name("else")) node->otherwise = parse_expression();
    node->chosen = std::move(chosen);
    const Expression* children[] = {node->condition.get(), node->chosen.get(), node->otherwise.get()};
    chosen = finish(std::move(node), line, {children[0], children[1], children[2]});
    forgive_unknown(mark);
  }
  return chosen;
}

// An expression of operators that bind at least as tightly as the level.
ExpressionPtr ExpressionParser::parse_operators(int lowest) {
  ExpressionPtr left;
  if (lowest <= kNot && tokens_.at_name("not")) {
    const Nesting nesting(*this);
    auto node = std::make_unique<Not>();
    const int line = tokens_.next().line;
    node->operand = parse_operators(kNot);
    const Expression* operand = node->operand.get();
    left = finish(std::move(node), line, {operand});
  } else {
    left = parse_unary(true);
  }
  for (;;) {
    const int line = tokens_.line();
    const bool is_and = tokens_.at_name("and");
    if ((is_and && lowest <= kAnd) || (tokens_.at_name("or") && lowest <= kOr)) {
      tokens_.next();
      auto node = std::make_unique<Logical>();
      node->is_and = is_and;
      node->left = std::move(left);
      node->right = parse_operators(is_and ? kNot : kAnd);
      const Expression* children[] = {node->left.get(), node->right.get()};
      left = finish(std::move(node), line, {children[0], children[1]});
      continue;
    }
    if (const BinaryOperator* found = arithmetic_at(tokens_); found && found->level >= lowest) {
      tokens_.next();
      auto node = std::make_unique<Arithmetic>();
      node->op = found->op;
      node->left = std::move(left);
      node->right = parse_operators(found->level + 1);
      const Expression* children[] = {node->left.get(), node->right.get()};
      left = finish(std::move(node), line, {children[0], children[1]});
      continue;
    }
    if (lowest <= kConcatenate && tokens_.at_symbol("~")) {
      left = parse_concatenate(std::move(left));
      continue;
    }
    if (lowest > kCompare) return left;
    const Expression* before = left.get();
    left = parse_compare(std::move(left));
    if (left.get() == before) return left;
  }
}

ExpressionPtr ExpressionParser::parse_concatenate(ExpressionPtr first) {
  auto node = std::make_unique<Concatenate>();
  const int line = tokens_.line();
  node->parts.push_back(std::move(first));
  while (tokens_.skip_symbol("~")) node->parts.push_back(parse_operators(kProduct));
  node->height = height_of(node->parts) + 1;
  return finish(std::move(node), line, {});
}

// first itself if no comparison follows.
ExpressionPtr ExpressionParser::parse_compare(ExpressionPtr first) {
  auto node = std::make_unique<Compare>();
  const int line = tokens_.line();
  node->height = first->height + 1;
  while (const std::optional<Comparison> comparison = take_comparison(tokens_)) {
    ExpressionPtr operand = parse_operators(kSum);
    node->height = std::max(node->height, operand->height + 1);
    node->rest.emplace_back(*comparison, std::move(operand));
  }
  if (node->rest.empty()) return first;
  node->first = std::move(first);
  return finish(std::move(node), line, {});
}

ExpressionPtr ExpressionParser::parse_unary(bool with_filters) {
  const Nesting nesting(*this);
  const int line = tokens_.line();
  ExpressionPtr node;
  if (tokens_.at_symbol("-") || tokens_.at_symbol("+")) {
    auto sign = std::make_unique<Signed>();
    sign->negative = tokens_.next().text == "-";
    sign->operand = parse_unary(false);
    const Expression* operand = sign->operand.get();
    node = finish(std::move(sign), line, {operand});
  } else {
    node = parse_primary();
  }
  node = parse_postfix(std::move(node));
  return with_filters ? parse_filters_and_tests(std::move(node)) : std::move(node);
}

ExpressionPtr ExpressionParser::parse_primary() {
  const Token& token = tokens_.current();
  const int line = token.line;
  const auto constant = [&](Value value) {
    return finish(std::make_unique<Constant>(std::move(value)), line, {});
  };
  switch (token.type) {
    case TokenType::name:
      return parse_name();
    case TokenType::integer:
      return constant(Value::integer(tokens_.next().integer));
    case TokenType::floating:
      return constant(Value::floating(tokens_.next().floating));
    case TokenType::string: {
      std::string text;
      while (tokens_.at(TokenType::string)) text += tokens_.next().text;  // neighbours are one string
      return constant(Value::text(std::move(text)));
    }
    default:
      break;
  }
  if (tokens_.skip_symbol("(")) {
    ExpressionPtr inner;
    if (tokens_.at_symbol(")")) {
      inner = finish(std::make_unique<TupleDisplay>(), line, {});
    } else {
      inner = parse_tuple();
    }
    tokens_.expect_symbol(")");
    return inner;
  }
  if (tokens_.at_symbol("[")) return parse_list();
  if (tokens_.at_symbol("{")) return parse_dict();
  tokens_.fail(concat("unexpected ", TokenStream::describe(token)));
}

ExpressionPtr ExpressionParser::parse_name() {
  const Token& token = tokens_.next();
  const std::string& name = token.text;
  const auto constant = [&](Value value) {
    return finish(std::make_unique<Constant>(std::move(value)), token.line, {});
  };
  if (name == "true" || name == "True") return constant(Value::boolean(true));
  if (name == "false" || name == "False") return constant(Value::boolean(false));
  if (name == "none" || name == "None") return constant(Value::none());
  seen.loop |= name == "loop";
  seen.caller |= name == "caller";
  seen.kwargs |= name == "kwargs";
  seen.varargs |= name == "varargs";
  seen.self |= name == "self";
  seen.super |= name == "super";
  symbols_.load(name);
  auto node = std::make_unique<Name>();
  node->name = name;
  return finish(std::move(node), token.line, {});
}

bool ExpressionParser::at_tuple_end() const {
  return tokens_.at(TokenType::print_end) || tokens_.at(TokenType::block_end) || tokens_.at_symbol(")");
}

ExpressionPtr ExpressionParser::parse_tuple(bool with_conditional) {
  const int line = tokens_.line();
  ExpressionPtr first = parse_expression(with_conditional);
  if (!tokens_.at_symbol(",")) return first;
  auto node = std::make_unique<TupleDisplay>();
  node->items.push_back(std::move(first));
  while (tokens_.skip_symbol(",") && !at_tuple_end()) {
    node->items.push_back(parse_expression(with_conditional));
  }
  node->height = height_of(node->items) + 1;
  return finish(std::move(node), line, {});
}

ExpressionPtr ExpressionParser::parse_list() {
  auto node = std::make_unique<ListDisplay>();
  const int line = tokens_.next().line;
  while (!tokens_.at_symbol("]")) {
    if (!node->items.empty()) {
      tokens_.expect_symbol(",");
      if (tokens_.at_symbol("]")) break;
    }
    node->items.push_back(parse_expression());
  }
  tokens_.next();
  node->height = height_of(node->items) + 1;
  return finish(std::move(node), line, {});
}

ExpressionPtr ExpressionParser::parse_dict() {
  auto node = std::make_unique<DictDisplay>();
  const int line = tokens_.next().line;
  while (!tokens_.at_symbol("}")) {
    if (!node->entries.empty()) {
      tokens_.expect_symbol(",");
      if (tokens_.at_symbol("}")) break;
    }
    ExpressionPtr key = parse_expression();
    tokens_.expect_symbol(":");
    ExpressionPtr value = parse_expression();
    node->height = std::max({node->height, key->height + 1, value->height + 1});
    node->entries.emplace_back(std::move(key), std::move(value));
  }
  tokens_.next();
  return finish(std::move(node), line, {});
}

}  // namespace linnet::jinja
