#include "text/jinja/expression.h"

#include "text/jinja/access.h"
#include "text/jinja/arithmetic.h"
#include "text/jinja/frame.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] Values evaluate_all(const Expressions& expressions, Frame& frame) {
  Values values;
  values.reserve(expressions.size());
  for (const ExpressionPtr& expression : expressions) values.push_back(frame.evaluate(*expression));
  return values;
}

[[nodiscard]] bool holds(Comparison comparison, const Value& a, const Value& b, Budget& budget) {
  switch (comparison) {
    case Comparison::equal:
      return equals(a, b, budget);
    case Comparison::not_equal:
      return !equals(a, b, budget);
    case Comparison::less:
      return less(a, b, budget);
    case Comparison::less_or_equal:
      return less_or_equal(a, b, budget);
    case Comparison::greater:
      return less(b, a, budget, ">");
    case Comparison::greater_or_equal:
      return less_or_equal(b, a, budget, ">=");
    case Comparison::in:
      return contains(b, a, budget);
    case Comparison::not_in:
      return !contains(b, a, budget);
  }
  return false;
}

}  // namespace

Value Name::evaluate(Frame& frame) const {
  return frame.lookup(name);
}

Value ListDisplay::evaluate(Frame& frame) const {
  return make_list(frame.budget(), evaluate_all(items, frame));
}

Value TupleDisplay::evaluate(Frame& frame) const {
  return make_tuple(frame.budget(), evaluate_all(items, frame));
}

Value DictDisplay::evaluate(Frame& frame) const {
  Dict dict;
  for (const auto& [key, value] : entries) {
    Value key_value = frame.evaluate(*key);
    dict.set(std::move(key_value), frame.evaluate(*value), frame.budget());
  }
  return make_dict(frame.budget(), std::move(dict));
}

Value Attribute::evaluate(Frame& frame) const {
  const Value value = frame.evaluate(*object);
  frame.rendering.line = line;
  return get_attribute(value, name, frame.budget());
}

Value Subscript::evaluate(Frame& frame) const {
  const Value value = frame.evaluate(*object);
  const Value key_value = frame.evaluate(*key);
  frame.rendering.line = line;
  return get_item(value, key_value, frame.budget());
}

Value SliceSubscript::evaluate(Frame& frame) const {
  const Value value = frame.evaluate(*object);
  const auto part = [&](const ExpressionPtr& bound) {
    return bound ? frame.evaluate(*bound) : Value::none();
  };
  const Value first = part(start);
  const Value last = part(stop);
  const Value stride = part(step);
  frame.rendering.line = line;
  return get_slice(value, first, last, stride, frame.budget());
}

Arguments CallArguments::evaluate(Frame& frame) const {
  Arguments arguments;
  arguments.positional = evaluate_all(positional, frame);
  for (const auto& [name, value] : keywords) arguments.keywords.emplace_back(name, frame.evaluate(*value));
  if (all_positional) {
    for (Value& value : to_items(frame.evaluate(*all_positional), frame.budget())) {
      arguments.positional.push_back(std::move(value));
    }
  }
  if (all_keywords) {
    const Value more = frame.evaluate(*all_keywords);
    require_defined(more);
    if (!more.is_dict()) raise("argument after ** must be a mapping, not ", type_name(more));
    for (const Dict::Entry& entry : more.as_dict().entries()) {
      frame.budget().spend(1 + arguments.keywords.size() / 8);
      if (!entry.key.is_text()) raise("keywords must be strings");
      for (const auto& [name, value] : arguments.keywords) {
        if (name == entry.key.as_text()) raise("got multiple values for keyword argument '", name, "'");
      }
      arguments.keywords.emplace_back(entry.key.as_text(), entry.value);
    }
  }
  return arguments;
}

Value Call::evaluate(Frame& frame) const {
  return evaluate_with_caller(frame, nullptr);
}

Value Call::evaluate_with_caller(Frame& frame, const Value* caller) const {
  const Value callee = frame.evaluate(*function);
  Arguments values = arguments.evaluate(frame);
  if (caller) values.keywords.emplace_back("caller", *caller);
  frame.rendering.line = line;
  return call(callee, std::move(values), frame.budget());
}

Value FilterCall::evaluate(Frame& frame) const {
  const Value value = frame.evaluate(*subject);
  Arguments values = arguments.evaluate(frame);
  frame.rendering.line = line;
  if (!filter) raise("No filter named '", name, "' found.");
  return filter(value, std::move(values), frame.budget());
}

Value CapturedText::evaluate(Frame& frame) const {
  return frame.captured;
}

Value TestCall::evaluate(Frame& frame) const {
  const Value value = frame.evaluate(*subject);
  Arguments values = arguments.evaluate(frame);
  frame.rendering.line = line;
  if (!test) raise("No test named '", name, "' found.");
  return Value::boolean(test(value, std::move(values), frame.budget()));
}

Value Not::evaluate(Frame& frame) const {
  return Value::boolean(!frame.is_true(*operand));
}

Value Signed::evaluate(Frame& frame) const {
  const Value value = frame.evaluate(*operand);
  return negative ? negate(value) : positive(value);
}

Value Arithmetic::evaluate(Frame& frame) const {
  const Value a = frame.evaluate(*left);
  const Value b = frame.evaluate(*right);
  frame.rendering.line = line;
  switch (op) {
    case Operator::add:
      return add(a, b, frame.budget());
    case Operator::subtract:
      return subtract(a, b);
    case Operator::multiply:
      return multiply(a, b, frame.budget());
    case Operator::divide:
      return divide(a, b);
    case Operator::floor_divide:
      return floor_divide(a, b);
    case Operator::modulo:
      return modulo(a, b, frame.budget());
    case Operator::power:
      return power(a, b, frame.budget());
  }
  return {};
}

Value Logical::evaluate(Frame& frame) const {
  Value first = frame.evaluate(*left);
  return is_truthy(first, frame.budget()) == is_and ? frame.evaluate(*right) : first;
}

Value Compare::evaluate(Frame& frame) const {
  Value left = frame.evaluate(*first);
  for (const auto& [comparison, operand] : rest) {
    Value right = frame.evaluate(*operand);
    frame.rendering.line = line;
    if (!holds(comparison, left, right, frame.budget())) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Value Concatenate::evaluate(Frame& frame) const {
  BoundedText out(frame.budget());
  for (const ExpressionPtr& part : parts) append_text(out, frame.evaluate(*part));
  return make_text(frame.budget(), out.take());
}

Value Conditional::evaluate(Frame& frame) const {
  if (frame.is_true(*condition)) return frame.evaluate(*chosen);
  if (otherwise) return frame.evaluate(*otherwise);
  return make_undefined(frame.budget(), concat("the inline if-expression on line ", line,
                                               " evaluated to false and no else section was defined."));
}

}  // namespace linnet::jinja
