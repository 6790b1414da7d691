#include "text/jinja/protocol.h"

#include <algorithm>
#include <cmath>

#include "text/jinja/dict.h"
#include "text/jinja/text_search.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

class TextIterator : public Iterator {
 public:
  TextIterator(Value text, Budget& budget) : text_(std::move(text)), budget_(budget) {}

  std::optional<Value> next() override {
    const std::string& bytes = text_.as_text();
    if (at_ == bytes.size()) return std::nullopt;
    budget_.spend();
    const size_t length = decode_at(bytes, at_).bytes;
    at_ += length;
    return make_text(budget_, bytes.substr(at_ - length, length));
  }

 private:
  Value text_;
  Budget& budget_;
  size_t at_ = 0;
};

// Items of a list or tuple, or keys of a dict, in either direction.
class PlacesIterator : public Iterator {
 public:
  PlacesIterator(Value container, size_t count, bool backwards, Budget& budget)
      : container_(std::move(container)),
        left_(count),
        count_(count),
        backwards_(backwards),
        budget_(budget) {}

  std::optional<Value> next() override {
    if (left_ == 0) return std::nullopt;
    budget_.spend();
    --left_;
    const size_t place = backwards_ ? left_ : count_ - left_ - 1;
    return container_.is_dict() ? container_.as_dict().entries()[place].key : container_.items()[place];
  }

 private:
  Value container_;
  size_t left_;
  size_t count_;
  bool backwards_;
  Budget& budget_;
};

class EmptyIterator : public Iterator {
 public:
  std::optional<Value> next() override { return std::nullopt; }
};

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

// As Python orders lists: the first items that differ decide, then the lengths.
[[nodiscard]] std::partial_ordering order_of(const Value& a, const Value& b, Budget& budget,
                                             std::string_view op) {
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
      if (!equals(left, right, budget)) return order_of(left, right, budget, op);
    }
    return a.items().size() <=> b.items().size();
  }
  raise("'", op, "' not supported between instances of '", type_name(a), "' and '", type_name(b), "'");
}

[[nodiscard]] bool equal_dicts(const Dict& a, const Dict& b, Budget& budget) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.entries().begin(), a.entries().end(), [&](const Dict::Entry& entry) {
    const Value* other = b.find(entry.key, budget);
    return other && equals(entry.value, *other, budget);
  });
}

}  // namespace

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

std::shared_ptr<Iterator> try_iterate(const Value& value, Budget& budget) {
  switch (value.kind()) {
    case Kind::undefined:
      return std::make_shared<EmptyIterator>();
    case Kind::text:
      return std::make_shared<TextIterator>(value, budget);
    case Kind::list:
    case Kind::tuple:
      return std::make_shared<PlacesIterator>(value, value.items().size(), false, budget);
    case Kind::dict:
      return std::make_shared<PlacesIterator>(value, value.as_dict().size(), false, budget);
    case Kind::object:
      return value.as_object()->iterate(budget);
    default:
      return nullptr;
  }
}

std::shared_ptr<Iterator> iterate(const Value& value, Budget& budget) {
  std::shared_ptr<Iterator> iterator = try_iterate(value, budget);
  if (!iterator) raise("'", type_name(value), "' object is not iterable");
  return iterator;
}

Values to_items(const Value& value, Budget& budget) {
  const std::shared_ptr<Iterator> elements = iterate(value, budget);
  if (value.is_sequence()) {
    budget.prepare_elements(value.items().size(), sizeof(Value));
    return value.items();
  }
  Values items;
  while (std::optional<Value> element = elements->next()) {
    // Asked before each doubling, so that a generator without end stops at the limit and not at the
    // machine's.
    if (items.size() == items.capacity()) budget.prepare_elements(items.size() + 1, 2 * sizeof(Value));
    items.push_back(std::move(*element));
  }
  return items;
}

std::shared_ptr<Iterator> try_reversed(const Value& value, Budget& budget) {
  switch (value.kind()) {
    case Kind::list:
    case Kind::tuple:
      return std::make_shared<PlacesIterator>(value, value.items().size(), true, budget);
    case Kind::dict:
      return std::make_shared<PlacesIterator>(value, value.as_dict().size(), true, budget);
    case Kind::text: {
      Values characters = to_items(value, budget);
      const size_t count = characters.size();
      return std::make_shared<PlacesIterator>(make_list(budget, std::move(characters)), count, true, budget);
    }
    case Kind::object: {
      // Those with a length are ranges and views of dicts, which can be reversed; generators cannot.
      const std::optional<size_t> count = value.as_object()->length(budget);
      if (!count) return nullptr;
      return std::make_shared<PlacesIterator>(make_list(budget, to_items(value, budget)), *count, true,
                                              budget);
    }
    default:
      return nullptr;
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

Value call(const Value& function, Arguments arguments, Budget& budget) {
  budget.spend();
  require_defined(function);
  if (!function.is_object()) raise("'", type_name(function), "' object is not callable");
  const std::shared_ptr<Object> callee = function.as_object();  // kept alive while it runs
  return callee->call(std::move(arguments), budget);
}

}  // namespace linnet::jinja
