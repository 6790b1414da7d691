// Expressions of a template: what the parser makes of {{ … }} and how each is evaluated.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/jinja/filters.h"
#include "text/jinja/tests.h"
#include "text/jinja/value.h"

namespace linnet::jinja {

struct Frame;

struct Expression {
  Expression() = default;
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  virtual ~Expression() = default;
  [[nodiscard]] virtual Value evaluate(Frame& frame) const = 0;

  int line = 0;
  size_t height = 1;  // of the tree below: bounded, because it is walked and destroyed by recursion
};
using ExpressionPtr = std::unique_ptr<Expression>;
using Expressions = std::vector<ExpressionPtr>;

struct Constant : Expression {
  explicit Constant(Value constant) : value(std::move(constant)) {}
  Value evaluate(Frame&) const override { return value; }
  Value value;
};

struct Name : Expression {
  Value evaluate(Frame& frame) const override;
  std::string name;
};

struct ListDisplay : Expression {
  Value evaluate(Frame& frame) const override;
  Expressions items;
};

struct TupleDisplay : Expression {
  Value evaluate(Frame& frame) const override;
  Expressions items;
};

struct DictDisplay : Expression {
  Value evaluate(Frame& frame) const override;
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> entries;
};

struct Attribute : Expression {  // object.name
  Value evaluate(Frame& frame) const override;
  ExpressionPtr object;
  std::string name;
};

struct Subscript : Expression {  // object[key]
  Value evaluate(Frame& frame) const override;
  ExpressionPtr object;
  ExpressionPtr key;
};

struct SliceSubscript : Expression {  // object[start:stop:step], each may be absent
  Value evaluate(Frame& frame) const override;
  ExpressionPtr object;
  ExpressionPtr start;
  ExpressionPtr stop;
  ExpressionPtr step;
};

// (a, b, name=c, *list, **dict)
struct CallArguments {
  [[nodiscard]] Arguments evaluate(Frame& frame) const;
  Expressions positional;
  std::vector<std::pair<std::string, ExpressionPtr>> keywords;
  ExpressionPtr all_positional;
  ExpressionPtr all_keywords;
};

struct Call : Expression {
  Value evaluate(Frame& frame) const override;
  // As evaluate, with one keyword argument more: how a {% call %} passes its body.
  [[nodiscard]] Value evaluate_with_caller(Frame& frame, const Value* caller) const;
  ExpressionPtr function;
  CallArguments arguments;
};

struct FilterCall : Expression {
  Value evaluate(Frame& frame) const override;
  ExpressionPtr subject;
  std::string name;
  Filter filter = nullptr;  // null if there is none of that name, which is an error only when it is reached
  CallArguments arguments;
};

// What a filter block or a filtered set block has captured.
struct CapturedText : Expression {
  Value evaluate(Frame& frame) const override;
};

struct TestCall : Expression {
  Value evaluate(Frame& frame) const override;
  ExpressionPtr subject;
  std::string name;
  Test test = nullptr;  // as FilterCall::filter
  CallArguments arguments;
};

struct Not : Expression {
  Value evaluate(Frame& frame) const override;
  ExpressionPtr operand;
};

struct Signed : Expression {  // -x or +x
  Value evaluate(Frame& frame) const override;
  bool negative = false;
  ExpressionPtr operand;
};

enum class Operator : uint8_t { add, subtract, multiply, divide, floor_divide, modulo, power };

struct Arithmetic : Expression {
  Value evaluate(Frame& frame) const override;
  Operator op = Operator::add;
  ExpressionPtr left;
  ExpressionPtr right;
};

struct Logical : Expression {  // and, or: the value of the operand that decides
  Value evaluate(Frame& frame) const override;
  bool is_and = false;
  ExpressionPtr left;
  ExpressionPtr right;
};

enum class Comparison : uint8_t {
  equal,
  not_equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  in,
  not_in
};

struct Compare : Expression {  // a < b < c: every neighbouring pair
  Value evaluate(Frame& frame) const override;
  ExpressionPtr first;
  std::vector<std::pair<Comparison, ExpressionPtr>> rest;
};

struct Concatenate : Expression {  // a ~ b ~ c, as texts
  Value evaluate(Frame& frame) const override;
  Expressions parts;
};

struct Conditional : Expression {  // chosen if condition else otherwise; otherwise may be absent
  Value evaluate(Frame& frame) const override;
  ExpressionPtr condition;
  ExpressionPtr chosen;
  ExpressionPtr otherwise;
};

}  // namespace linnet::jinja
