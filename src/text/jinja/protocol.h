// Python's protocols for all kinds of values: truth, length, iteration, equality, order, hash, membership.
#pragma once

#include <compare>
#include <optional>

#include "text/jinja/object.h"
#include "text/jinja/value.h"

namespace linnet::jinja {

// "dict", "NoneType", …: as Python's messages name the type.
[[nodiscard]] std::string type_name(const Value& value);

// Raises what using an undefined value raises; does nothing for others.
void require_defined(const Value& value);

[[nodiscard]] bool is_truthy(const Value& value, Budget& budget);
[[nodiscard]] std::optional<size_t> length_of(const Value& value, Budget& budget);

// Null if the value cannot be iterated. iterate() raises then.
[[nodiscard]] std::shared_ptr<Iterator> try_iterate(const Value& value, Budget& budget);
[[nodiscard]] std::shared_ptr<Iterator> iterate(const Value& value, Budget& budget);
[[nodiscard]] Values to_items(const Value& value, Budget& budget);
// Elements from the last to the first, or null where Python's reversed() raises.
[[nodiscard]] std::shared_ptr<Iterator> try_reversed(const Value& value, Budget& budget);

// True, false, and integers are integers; floats that have an integral value are not.
[[nodiscard]] std::optional<Integer> integer_of(const Value& value);
// Every number as a float.
[[nodiscard]] std::optional<double> floating_of(const Value& value);

[[nodiscard]] bool equals(const Value& a, const Value& b, Budget& budget);
// Nothing for values without an order.
[[nodiscard]] std::optional<std::partial_ordering> try_order(const Value& a, const Value& b, Budget& budget);
// a < b, or what Python raises for values without an order. op names the operator in the message.
[[nodiscard]] bool less(const Value& a, const Value& b, Budget& budget, std::string_view op = "<");
[[nodiscard]] bool less_or_equal(const Value& a, const Value& b, Budget& budget, std::string_view op = "<=");
[[nodiscard]] size_t hash_value(const Value& value, Budget& budget);  // raises for lists and dicts
[[nodiscard]] bool contains(const Value& container, const Value& element, Budget& budget);

[[nodiscard]] Value call(const Value& function, Arguments arguments, Budget& budget);

}  // namespace linnet::jinja
