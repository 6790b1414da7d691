// Filters on any value and on numbers: default, attr, int, float, round, tojson, …
#include <cmath>
#include <cstdio>

#include "text/jinja/access.h"
#include "text/jinja/arithmetic.h"
#include "text/jinja/dict.h"
#include "text/jinja/filter_tables.h"
#include "text/jinja/numbers.h"
#include "text/jinja/parameters.h"
#include "text/jinja/pretty_print.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/tojson.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] Value default_value(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("default", std::move(arguments), {"default_value", "boolean"}, 0);
  const bool also_if_false = parameters.truthy_or(1, false, budget);
  const bool replace = subject.is_undefined() || (also_if_false && !is_truthy(subject, budget));
  return replace ? parameters.value_or(0, Value::text("")) : subject;
}

// Attributes only, not items: for a dict these are its methods.
[[nodiscard]] Value attribute(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("attr", std::move(arguments), {"name"}, 1);
  const std::string& name = parameters.text(0);
  if (!subject.is_dict()) return get_attribute(subject, name, budget);
  return get_attribute(Value::dict({}), name, budget);
}

[[nodiscard]] Value absolute(const Value& subject, Arguments arguments, Budget&) {
  require_no_arguments("abs", arguments);
  if (const std::optional<Integer> integer = integer_of(subject)) {
    return *integer < 0 ? negate(subject) : Value::integer(*integer);
  }
  if (subject.is(Kind::floating)) return Value::floating(std::fabs(subject.as_floating()));
  raise("bad operand type for abs(): '", type_name(subject), "'");
}

[[nodiscard]] Value to_integer(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("int", std::move(arguments), {"default", "base"}, 0);
  require_defined(subject);
  Value otherwise = parameters.value_or(0, Value::integer(0));
  if (const std::optional<Integer> integer = integer_of(subject)) return Value::integer(*integer);
  if (subject.is(Kind::floating)) {
    return std::isnan(subject.as_floating()) ? otherwise
                                             : Value::integer(truncate_to_integer(subject.as_floating()));
  }
  if (!subject.is_text()) return otherwise;
  budget.spend_bytes(4 * subject.as_text().size());
  const int64_t base = parameters.index_or(1, 10);
  if (base != 0 && (base < 2 || base > 36)) return otherwise;
  if (const auto integer = parse_integer(subject.as_text(), static_cast<unsigned>(base)))
    return Value::integer(*integer);
  const std::optional<double> number = parse_float(subject.as_text());
  return number && std::isfinite(*number) ? Value::integer(truncate_to_integer(*number)) : otherwise;
}

[[nodiscard]] Value to_floating(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("float", std::move(arguments), {"default"}, 0);
  require_defined(subject);
  if (const std::optional<double> number = floating_of(subject)) return Value::floating(*number);
  if (subject.is_text()) {
    budget.spend_bytes(4 * subject.as_text().size());
    if (const std::optional<double> number = parse_float(subject.as_text())) return Value::floating(*number);
  }
  return parameters.value_or(0, Value::floating(0));
}

// round(integer, digits) with negative digits: to tens, hundreds, …, ties to even.
[[nodiscard]] Integer round_integer(Integer value, int64_t digits, Budget& budget) {
  if (digits >= 0) return value;
  const Value unit = power(Value::integer(10), Value::integer(-digits), budget);
  const Integer scale = unit.as_integer();
  Integer quotient = floor_divide(Value::integer(value), unit).as_integer();
  const Integer remainder = value - quotient * scale;
  const Integer half = scale / 2;
  if (remainder > half || (remainder == half && quotient % 2 != 0)) ++quotient;
  return multiply(Value::integer(quotient), unit, budget).as_integer();
}

[[nodiscard]] Value round_number(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("round", std::move(arguments), {"precision", "method"}, 0);
  const std::string_view method = parameters.text_or(1, "common");
  const int64_t precision = parameters.index_or(0, 0);
  if (method != "common" && method != "ceil" && method != "floor") {
    raise("method must be common, ceil or floor");
  }
  require_defined(subject);
  const std::optional<double> number = floating_of(subject);
  if (!number) raise("type ", type_name(subject), " doesn't define __round__ method");
  if (method == "common") {
    if (const auto integer = integer_of(subject)) {
      return Value::integer(precision < -38 ? 0 : round_integer(*integer, precision, budget));
    }
    return Value::floating(
        round_to_digits(*number, static_cast<int>(std::clamp<int64_t>(precision, -400, 400))));
  }
  const double scale = std::pow(10.0, static_cast<double>(precision));
  const double scaled = *number * scale;
  if (!std::isfinite(scaled)) raise("cannot convert float infinity to integer");
  return Value::floating((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
}

// float(value): also of a text.
[[nodiscard]] double require_number(const Value& value, Budget& budget) {
  require_defined(value);
  if (const std::optional<double> number = floating_of(value)) return *number;
  if (!value.is_text())
    raise("float() argument must be a string or a real number, not '", type_name(value), "'");
  budget.spend_bytes(4 * value.as_text().size());
  const std::optional<double> number = parse_float(value.as_text());
  if (!number) raise("could not convert string to float: ", to_repr(value, budget));
  return *number;
}

[[nodiscard]] Value file_size(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("filesizeformat", std::move(arguments), {"binary"}, 0);
  const bool binary = parameters.truthy_or(0, false, budget);
  const double bytes = require_number(subject, budget);
  const Integer base = binary ? 1024 : 1000;
  if (bytes == 1) return make_text(budget, "1 Byte");
  if (bytes < static_cast<double>(base))
    return make_text(budget, concat(integer_to_text(truncate_to_integer(bytes)), " Bytes"));
  constexpr std::string_view kPrefixes = "kMGTPEZY";
  // Compared as integers: 1e24 as a float is less than 10²⁴.
  const auto is_less = [&](Integer unit) { return bytes < 0x1p126 && static_cast<Integer>(bytes) < unit; };
  Integer unit = base * base;
  size_t prefix = 0;
  for (; prefix + 1 < kPrefixes.size() && !is_less(unit); ++prefix) unit *= base;
  const char letter = binary && prefix == 0 ? 'K' : kPrefixes[prefix];
  char number[400];  // of the largest float, in the largest unit
  const double scaled = static_cast<double>(base) * bytes / static_cast<double>(unit);
  (void)std::snprintf(number, sizeof number, "%.1f",
                      std::fabs(scaled));  // NaN may have a sign, Python shows none
  return make_text(budget, concat(number, " ", letter, binary ? "iB" : "B"));
}

[[nodiscard]] Value pretty_printed(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("pprint", arguments);
  return make_text(budget, pretty_print(subject, budget));
}

[[nodiscard]] Value to_string(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("string", arguments);
  return subject.is_text() ? subject : make_text(budget, to_text(subject, budget));
}

[[nodiscard]] Value to_json(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("tojson", std::move(arguments),
                              {"ensure_ascii", "indent", "separators", "sort_keys"}, 0);
  JsonStyle style;
  style.only_ascii = parameters.truthy_or(0, false, budget);
  if (const Value* indent = parameters.get_unless_none(1)) {
    style.indent =
        indent->is_text()
            ? indent->as_text()
            : std::string(static_cast<size_t>(std::clamp<int64_t>(parameters.index(1), 0, 1000)), ' ');
    style.item_separator.pop_back();  // of ", " the space: a line ends there
  }
  if (const Value* separators = parameters.get_unless_none(2)) {
    const Values both = to_items(*separators, budget);
    if (both.size() != 2 || !both[0].is_text() || !both[1].is_text()) raise("separators must be two strings");
    style.item_separator = both[0].as_text();
    style.key_separator = both[1].as_text();
  }
  style.sort_keys = parameters.truthy_or(3, false, budget);
  return make_text(budget, jinja::to_json(subject, style, budget));
}

constexpr NamedFilter kValueFilters[] = {
    {"abs", absolute},       {"attr", attribute},           {"d", default_value}, {"default", default_value},
    {"float", to_floating},  {"filesizeformat", file_size}, {"int", to_integer},  {"pprint", pretty_printed},
    {"round", round_number}, {"string", to_string},         {"tojson", to_json},
};

}  // namespace

std::span<const NamedFilter> value_filters() {
  return kValueFilters;
}

}  // namespace linnet::jinja
