// Types, truth, length, numbers and calls; iteration.cpp and comparison.cpp have the rest of protocol.h.
#include "text/jinja/protocol.h"

#include "text/jinja/dict.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {

std::string type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::undefined:
      return "Undefined";
    case Kind::none:
      return "NoneType";
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::floating:
      return "float";
    case Kind::text:
      return "str";
    case Kind::list:
      return "list";
    case Kind::tuple:
      return "tuple";
    case Kind::dict:
      return "dict";
    case Kind::object:
      return std::string(value.as_object()->type_name());
  }
  return "";
}

void require_defined(const Value& value) {
  if (value.is_undefined()) raise(value.undefined_reason());
}

bool is_truthy(const Value& value, Budget& budget) {
  switch (value.kind()) {
    case Kind::undefined:
    case Kind::none:
      return false;
    case Kind::boolean:
      return value.as_boolean();
    case Kind::integer:
      return value.as_integer() != 0;
    case Kind::floating:
      return value.as_floating() != 0;
    case Kind::text:
      return !value.as_text().empty();
    case Kind::list:
    case Kind::tuple:
      return !value.items().empty();
    case Kind::dict:
      return value.as_dict().size() != 0;
    case Kind::object:
      return value.as_object()->truthy(budget);
  }
  return false;
}

std::optional<size_t> length_of(const Value& value, Budget& budget) {
  switch (value.kind()) {
    case Kind::undefined:
      return 0;
    case Kind::text:
      budget.spend_characters(value.as_text().size());
      return count_code_points(value.as_text());
    case Kind::list:
    case Kind::tuple:
      return value.items().size();
    case Kind::dict:
      return value.as_dict().size();
    case Kind::object:
      return value.as_object()->length(budget);
    default:
      return std::nullopt;
  }
}

std::optional<Integer> integer_of(const Value& value) {
  if (value.is(Kind::integer)) return value.as_integer();
  if (value.is(Kind::boolean)) return value.as_boolean() ? 1 : 0;
  return std::nullopt;
}

std::optional<double> floating_of(const Value& value) {
  if (value.is(Kind::floating)) return value.as_floating();
  if (const std::optional<Integer> integer = integer_of(value)) return static_cast<double>(*integer);
  return std::nullopt;
}

Value call(const Value& function, Arguments arguments, Budget& budget) {
  budget.spend();
  require_defined(function);
  if (!function.is_object()) raise("'", type_name(function), "' object is not callable");
  // A copy keeps it alive while it runs.
  const std::shared_ptr<Object> callee = function.as_object();  // NOLINT(performance-unnecessary-copy-*)
  return callee->call(std::move(arguments), budget);
}

}  // namespace linnet::jinja
