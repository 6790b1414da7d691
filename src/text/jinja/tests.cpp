#include "text/jinja/tests.h"

#include <algorithm>

#include "text/jinja/arithmetic.h"
#include "text/jinja/filters.h"
#include "text/jinja/methods.h"
#include "text/jinja/parameters.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/range.h"

namespace linnet::jinja {
namespace {

// The one argument of a test that takes one.
[[nodiscard]] Value other(Arguments arguments) {
  return *Parameters("test", std::move(arguments), {"other"}, 1).get(0);
}

template <Kind kind>
[[nodiscard]] bool is_kind(const Value& subject, Arguments arguments, Budget&) {
  require_no_arguments("test", arguments);
  return subject.is(kind);
}

template <bool wanted>
[[nodiscard]] bool is_boolean_value(const Value& subject, Arguments arguments, Budget&) {
  require_no_arguments("test", arguments);
  return subject.is(Kind::boolean) && subject.as_boolean() == wanted;
}

[[nodiscard]] bool is_defined(const Value& subject, Arguments arguments, Budget&) {
  require_no_arguments("defined", arguments);
  return !subject.is_undefined();
}

[[nodiscard]] bool is_number(const Value& subject, Arguments arguments, Budget&) {
  require_no_arguments("number", arguments);
  return floating_of(subject).has_value();
}

// Undefined has a length and can be called, as a class with those methods; what they do is to raise.
[[nodiscard]] bool is_sequence(const Value& subject, Arguments arguments, Budget&) {
  require_no_arguments("sequence", arguments);
  return subject.is_undefined() || subject.is_text() || subject.is_sequence() || subject.is_dict() ||
         subject.object_as<Range>();
}

[[nodiscard]] bool is_iterable(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("iterable", arguments);
  return try_iterate(subject, budget) != nullptr;
}

[[nodiscard]] bool is_callable(const Value& subject, Arguments arguments, Budget&) {
  require_no_arguments("callable", arguments);
  return subject.is_undefined() || (subject.is_object() && subject.as_object()->is_callable());
}

template <int wanted>
[[nodiscard]] bool has_remainder_by_two(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("test", arguments);
  return equals(modulo(subject, Value::integer(2), budget), Value::integer(wanted), budget);
}

[[nodiscard]] bool is_divisible_by(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("divisibleby", std::move(arguments), {"num"}, 1);
  return equals(modulo(subject, *parameters.get(0), budget), Value::integer(0), budget);
}

template <bool upper>
[[nodiscard]] bool has_case(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("test", arguments);
  const Method method = find_case_method(upper ? "isupper" : "islower");
  return method(make_text(budget, to_text(subject, budget)), Arguments(), budget).as_boolean();
}

[[nodiscard]] bool is_in(const Value& subject, Arguments arguments, Budget& budget) {
  return contains(*Parameters("in", std::move(arguments), {"seq"}, 1).get(0), subject, budget);
}

[[nodiscard]] bool is_same(const Value& subject, Arguments arguments, Budget&) {
  return subject.is_same(other(std::move(arguments)));
}

[[nodiscard]] bool is_filter(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("filter", arguments);
  (void)hash_value(subject, budget);  // names are looked up in a dict
  return subject.is_text() && find_filter(subject.as_text());
}

[[nodiscard]] bool is_test(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("test", arguments);
  (void)hash_value(subject, budget);
  return subject.is_text() && find_test(subject.as_text());
}

[[nodiscard]] bool is_equal(const Value& subject, Arguments arguments, Budget& budget) {
  return equals(subject, other(std::move(arguments)), budget);
}

[[nodiscard]] bool is_not_equal(const Value& subject, Arguments arguments, Budget& budget) {
  return !equals(subject, other(std::move(arguments)), budget);
}

[[nodiscard]] bool is_less(const Value& subject, Arguments arguments, Budget& budget) {
  return less(subject, other(std::move(arguments)), budget);
}

[[nodiscard]] bool is_less_or_equal(const Value& subject, Arguments arguments, Budget& budget) {
  return less_or_equal(subject, other(std::move(arguments)), budget);
}

[[nodiscard]] bool is_greater(const Value& subject, Arguments arguments, Budget& budget) {
  return less(other(std::move(arguments)), subject, budget, ">");
}

[[nodiscard]] bool is_greater_or_equal(const Value& subject, Arguments arguments, Budget& budget) {
  return less_or_equal(other(std::move(arguments)), subject, budget, ">=");
}

[[nodiscard]] bool is_escaped(const Value& subject, Arguments arguments, Budget&) {
  require_no_arguments("escaped", arguments);
  return subject.is_markup();
}

struct NamedTest {
  std::string_view name;
  Test test;
};

constexpr NamedTest kTests[] = {
    {"!=", is_not_equal},
    {"<", is_less},
    {"<=", is_less_or_equal},
    {"==", is_equal},
    {">", is_greater},
    {">=", is_greater_or_equal},
    {"boolean", is_kind<Kind::boolean>},
    {"callable", is_callable},
    {"defined", is_defined},
    {"divisibleby", is_divisible_by},
    {"eq", is_equal},
    {"equalto", is_equal},
    {"escaped", is_escaped},
    {"even", has_remainder_by_two<0>},
    {"false", is_boolean_value<false>},
    {"filter", is_filter},
    {"float", is_kind<Kind::floating>},
    {"ge", is_greater_or_equal},
    {"greaterthan", is_greater},
    {"gt", is_greater},
    {"in", is_in},
    {"integer", is_kind<Kind::integer>},
    {"iterable", is_iterable},
    {"le", is_less_or_equal},
    {"lessthan", is_less},
    {"lower", has_case<false>},
    {"lt", is_less},
    {"mapping", is_kind<Kind::dict>},
    {"ne", is_not_equal},
    {"none", is_kind<Kind::none>},
    {"number", is_number},
    {"odd", has_remainder_by_two<1>},
    {"sameas", is_same},
    {"sequence", is_sequence},
    {"string", is_kind<Kind::text>},
    {"test", is_test},
    {"true", is_boolean_value<true>},
    {"undefined", is_kind<Kind::undefined>},
    {"upper", has_case<true>},
};

}  // namespace

Test find_test(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kTests), std::end(kTests), [&](auto& t) { return t.name == name; });
  return found == std::end(kTests) ? nullptr : found->test;
}

}  // namespace linnet::jinja
