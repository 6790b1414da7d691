#include "text/jinja/value.h"

#include <algorithm>

#include "text/jinja/dict.h"
#include "text/jinja/object.h"

namespace linnet::jinja {
namespace {

// What a value costs beside its contents: the shared block and its counters.
constexpr size_t kBlockBytes = 64;

[[nodiscard]] size_t depth_of_items(const Values& items) {
  size_t deepest = 0;
  for (const Value& item : items) deepest = std::max(deepest, item.depth());
  return deepest + 1;
}

[[nodiscard]] Sequence uncounted(Values items) {
  const size_t depth = depth_of_items(items);
  return {std::move(items), depth, {}};
}

[[nodiscard]] Sequence counted(Budget& budget, Values items) {
  budget.spend(items.size() / 4);
  const size_t depth = depth_of_items(items);
  budget.check_value_depth(depth);
  Charge charge(budget, items.capacity() * sizeof(Value) + kBlockBytes);
  return {std::move(items), depth, std::move(charge)};
}

}  // namespace

Value::Value() noexcept : data_(std::monostate{}) {}
Value::Value(Data data) : data_(std::move(data)) {}
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

Value Value::boolean(bool value) {
  return Value(Data(value));
}
Value Value::integer(Integer value) {
  return Value(Data(value));
}
Value Value::floating(double value) {
  return Value(Data(value));
}
Value Value::object(std::shared_ptr<Object> value) {
  return Value(Data(std::move(value)));
}

Value Value::text(std::string value) {
  return Value(std::make_shared<const Text>(Text{std::move(value), {}}));
}

Value Value::list(Values items) {
  return Value(ListRef{std::make_shared<const Sequence>(uncounted(std::move(items)))});
}

Value Value::tuple(Values items) {
  return Value(TupleRef{std::make_shared<const Sequence>(uncounted(std::move(items)))});
}

Value Value::dict(Dict entries) {
  return Value(std::make_shared<const Dict>(std::move(entries)));
}

const Sequence& Value::as_sequence() const {
  if (const auto* list = std::get_if<ListRef>(&data_)) return *list->sequence;
  return *std::get<TupleRef>(data_).sequence;
}

size_t Value::depth() const {
  switch (kind()) {
    case Kind::list:
    case Kind::tuple:
      return as_sequence().depth;
    case Kind::dict:
      return as_dict().depth();
    case Kind::object:
      return as_object()->depth();
    default:
      return 0;
  }
}

bool Value::is_same(const Value& other) const {
  if (kind() != other.kind()) return false;
  switch (kind()) {
    case Kind::undefined:
      return std::get<Missing>(data_).reason == std::get<Missing>(other.data_).reason;
    case Kind::none:
      return true;
    case Kind::boolean:
      return as_boolean() == other.as_boolean();
    case Kind::integer:
      return as_integer() == other.as_integer();
    case Kind::floating:
      return as_floating() == other.as_floating();
    case Kind::text:
      return as_text() == other.as_text();
    case Kind::list:
    case Kind::tuple:
      return &as_sequence() == &other.as_sequence();
    case Kind::dict:
      return &as_dict() == &other.as_dict();
    case Kind::object:
      return as_object() == other.as_object();
  }
  return false;
}

Value make_undefined(Budget& budget, std::string reason) {
  Charge charge(budget, reason.capacity() + kBlockBytes);
  return Value(Value::Missing{std::make_shared<const Text>(Text{std::move(reason), std::move(charge)})});
}

Value make_text(Budget& budget, std::string value) {
  if (value.size() > budget.options().max_output) budget.prepare_text(value.size());
  Charge charge(budget, value.capacity() + kBlockBytes);
  return Value(std::make_shared<const Text>(Text{std::move(value), std::move(charge)}));
}

Value make_markup(Budget& budget, std::string value) {
  Charge charge(budget, value.capacity() + kBlockBytes);
  return Value(std::make_shared<const Text>(Text{std::move(value), std::move(charge), true}));
}

Value make_text_like(const Value& origin, Budget& budget, std::string value) {
  return origin.is_markup() ? make_markup(budget, std::move(value)) : make_text(budget, std::move(value));
}

Value make_list(Budget& budget, Values items) {
  return Value(Value::ListRef{std::make_shared<const Sequence>(counted(budget, std::move(items)))});
}

Value make_tuple(Budget& budget, Values items) {
  return Value(Value::TupleRef{std::make_shared<const Sequence>(counted(budget, std::move(items)))});
}

Value make_group(Budget& budget, Value key, Value items) {
  Sequence pair = counted(budget, {std::move(key), std::move(items)});
  pair.is_group = true;
  return Value(Value::TupleRef{std::make_shared<const Sequence>(std::move(pair))});
}

Value make_dict(Budget& budget, Dict entries) {
  budget.check_value_depth(entries.depth());
  // Beside the entry itself: its share of the index, which doubles as it grows.
  entries.charge_ = Charge(budget, entries.size() * (sizeof(Dict::Entry) + 48) + kBlockBytes + sizeof(Dict));
  return Value(std::make_shared<const Dict>(std::move(entries)));
}

}  // namespace linnet::jinja
