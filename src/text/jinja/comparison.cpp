// Equality, order, hash and membership.
#include <algorithm>
#include <cmath>

#include "text/jinja/dict.h"
#include "text/jinja/protocol.h"
#include "text/jinja/text_search.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] bool is_number(const Value& value) {
  return value.is(Kind::boolean) || value.is(Kind::integer) || value.is(Kind::floating);
}

// Exact also where the integer has more digits than a float holds.
[[nodiscard]] std::partial_ordering order_of(Integer a, double b) {
  constexpr double kBeyondIntegers = 0x1p126;
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= kBeyondIntegers) return std::partial_ordering::less;
  if (b <= -kBeyondIntegers) return std::partial_ordering::greater;
  const double whole = std::floor(b);
  const auto integer = static_cast<Integer>(whole);
  if (a != integer) return a < integer ? std::partial_ordering::less : std::partial_ordering::greater;
  return whole < b ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

[[nodiscard]] std::partial_ordering order_of_numbers(const Value& a, const Value& b) {
  const std::optional<Integer> left = integer_of(a);
  const std::optional<Integer> right = integer_of(b);
  if (left && right) {
    if (*left == *right) return std::partial_ordering::equivalent;
    return *left < *right ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  if (left) return order_of(*left, b.as_floating());
  if (right) return 0 <=> order_of(*right, a.as_floating());
  return a.as_floating() <=> b.as_floating();
}

struct Pair {
  const Value* left;
  const Value* right;
};

// As Python orders lists: the first items that differ decide, then the lengths. Where those have no order,
// nothing, and they are in `pair`.
[[nodiscard]] std::optional<std::partial_ordering> try_order(const Value& a, const Value& b, Budget& budget,
                                                             Pair& pair) {
  budget.spend();
  require_defined(a);
  require_defined(b);
  if (is_number(a) && is_number(b)) return order_of_numbers(a, b);
  if (a.is_text() && b.is_text()) {
    budget.spend_bytes(std::min(a.as_text().size(), b.as_text().size()));
    return a.as_text() <=> b.as_text();  // the order of UTF-8 bytes is that of code points
  }
  if (a.is_sequence() && a.kind() == b.kind()) {
    const size_t common = std::min(a.items().size(), b.items().size());
    for (size_t i = 0; i < common; ++i) {
      const Value& left = a.items()[i];
      const Value& right = b.items()[i];
      if (!equals(left, right, budget)) return try_order(left, right, budget, pair);
    }
    return a.items().size() <=> b.items().size();
  }
  pair = {&a, &b};
  return std::nullopt;
}

[[nodiscard]] std::partial_ordering order_of(const Value& a, const Value& b, Budget& budget,
                                             std::string_view op) {
  Pair pair{};
  if (const auto order = try_order(a, b, budget, pair)) return *order;
  raise("'", op, "' not supported between instances of '", type_name(*pair.left), "' and '",
        type_name(*pair.right), "'");
}

[[nodiscard]] bool equal_dicts(const Dict& a, const Dict& b, Budget& budget) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.entries().begin(), a.entries().end(), [&](const Dict::Entry& entry) {
    const Value* other = b.find(entry.key, budget);
    return other && equals(entry.value, *other, budget);
  });
}

}  // namespace

std::optional<std::partial_ordering> try_order(const Value& a, const Value& b, Budget& budget) {
  Pair pair{};
  return try_order(a, b, budget, pair);
}

bool equals(const Value& a, const Value& b, Budget& budget) {
  budget.spend();
  if (is_number(a) && is_number(b)) return order_of_numbers(a, b) == std::partial_ordering::equivalent;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::text:
      if (a.as_text().size() != b.as_text().size()) return false;
      budget.spend_bytes(a.as_text().size());
      return a.as_text() == b.as_text();
    case Kind::list:
    case Kind::tuple:
      if (a.is_same(b)) return true;
      return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                        [&](const Value& x, const Value& y) { return equals(x, y, budget); });
    case Kind::dict:
      return a.is_same(b) || equal_dicts(a.as_dict(), b.as_dict(), budget);
    case Kind::object:
      return a.as_object()->equals(*b.as_object(), budget);
    default:
      return true;  // undefined and none each equal their own kind
  }
}

bool less(const Value& a, const Value& b, Budget& budget, std::string_view op) {
  return order_of(a, b, budget, op) == std::partial_ordering::less;
}

bool less_or_equal(const Value& a, const Value& b, Budget& budget, std::string_view op) {
  const std::partial_ordering order = order_of(a, b, budget, op);
  return order == std::partial_ordering::less || order == std::partial_ordering::equivalent;
}

size_t hash_value(const Value& value, Budget& budget) {
  budget.spend();
  switch (value.kind()) {
    case Kind::text:
      budget.spend_bytes(value.as_text().size());
      return std::hash<std::string_view>{}(value.as_text());
    case Kind::boolean:
    case Kind::integer:
      return std::hash<int64_t>{}(static_cast<int64_t>(*integer_of(value)));
    case Kind::floating: {
      const double number = value.as_floating();
      const bool is_integral = std::floor(number) == number && std::fabs(number) < 0x1p126;
      if (!is_integral) return std::hash<double>{}(number);
      return std::hash<int64_t>{}(
          static_cast<int64_t>(static_cast<Integer>(number)));  // as the equal integer
    }
    case Kind::tuple: {
      size_t hash = 0x9E3779B9;
      for (const Value& item : value.items()) hash = hash * 31 + hash_value(item, budget);
      return hash;
    }
    case Kind::list:
    case Kind::dict:
      raise("unhashable type: '", type_name(value), "'");
    case Kind::object:
      return std::hash<const Object*>{}(value.as_object().get());
    default:
      return static_cast<size_t>(value.kind());
  }
}

bool contains(const Value& container, const Value& element, Budget& budget) {
  budget.spend();
  if (container.is_text()) {
    if (!element.is_text()) {
      raise("'in <string>' requires string as left operand, not ", type_name(element));
    }
    budget.spend_bytes(container.as_text().size() + element.as_text().size());
    return find_bytes(container.as_text(), element.as_text(), 0) != std::string_view::npos;
  }
  if (container.is_dict()) return container.as_dict().find(element, budget) != nullptr;
  const std::shared_ptr<Iterator> elements = try_iterate(container, budget);
  if (!elements) raise("argument of type '", type_name(container), "' is not iterable");
  while (const std::optional<Value> candidate = elements->next()) {
    if (candidate->is_same(element) || equals(*candidate, element, budget)) return true;
  }
  return false;
}

}  // namespace linnet::jinja
