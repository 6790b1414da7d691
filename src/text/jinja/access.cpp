#include "text/jinja/access.h"

#include <algorithm>

#include "text/jinja/dict.h"
#include "text/jinja/methods.h"
#include "text/jinja/numbers.h"
#include "text/jinja/object.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/range.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] bool is_hashable(const Value& value, Budget& budget) {
  budget.spend();
  if (value.is(Kind::list) || value.is_dict()) return false;
  if (!value.is(Kind::tuple)) return true;
  return std::all_of(value.items().begin(), value.items().end(),
                     [&](const Value& item) { return is_hashable(item, budget); });
}

[[nodiscard]] std::string describe(const Value& object) {
  return object.is_none() ? "None" : type_name(object) + " object";
}

[[nodiscard]] Value missing_attribute(const Value& object, std::string_view name, Budget& budget) {
  return make_undefined(budget, concat("'", describe(object), "' has no attribute '", name, "'"));
}

[[nodiscard]] Value missing_item(const Value& object, const Value& key, Budget& budget) {
  if (key.is_text()) return missing_attribute(object, key.as_text(), budget);
  return make_undefined(budget, concat(describe(object), " has no element ", to_repr(key, budget)));
}

// What Python finds by attribute lookup; unsafe ones come back as undefined.
[[nodiscard]] std::optional<Value> find_attribute(const Value& object, std::string_view name,
                                                  Budget& budget) {
  budget.spend();
  const bool is_internal = name.size() > 4 && name.starts_with("__") && name.ends_with("__");
  if (is_internal || is_mutating_method(object, name)) {
    return make_undefined(
        budget, concat("access to attribute '", name, "' of '", type_name(object), "' object is unsafe."));
  }
  if (object.is_object()) {
    // A copy: the attribute may be what the object lives in.
    const std::shared_ptr<Object> kept = object.as_object();  // NOLINT(performance-unnecessary-copy-*)
    return kept->attribute(name, budget);
  }
  if (object.is(Kind::tuple) && object.as_sequence().is_group) {
    if (name == "grouper") return object.items()[0];
    if (name == "list") return object.items()[1];
  }
  return find_method(object, name, budget);
}

[[nodiscard]] std::optional<Value> find_item(const Value& object, const Value& key, Budget& budget) {
  budget.spend();
  if (object.is_dict()) {
    if (!is_hashable(key, budget)) return std::nullopt;
    const Value* value = object.as_dict().find(key, budget);
    return value ? std::optional(*value) : std::nullopt;
  }
  if (object.is_object()) return object.as_object()->item(key, budget);
  if (!object.is_text() && !object.is_sequence()) return std::nullopt;
  const std::optional<Integer> index = integer_of(key);
  if (!index) return std::nullopt;
  const auto length = static_cast<Integer>(*length_of(object, budget));
  const Integer place = *index < 0 ? *index + length : *index;
  if (place < 0 || place >= length) return std::nullopt;
  if (object.is_sequence()) return object.items()[static_cast<size_t>(place)];
  const std::string& text = object.as_text();
  budget.spend_characters(static_cast<size_t>(place));
  const size_t at = byte_offset(text, static_cast<size_t>(place));
  return make_text_like(object, budget, text.substr(at, decode_at(text, at).bytes));
}

[[nodiscard]] std::optional<int64_t> slice_bound(const Value& bound) {
  require_defined(bound);
  if (bound.is_none()) return std::nullopt;
  const std::optional<Integer> integer = integer_of(bound);
  if (!integer) raise("slice indices must be integers or None or have an __index__ method");
  constexpr Integer kFar = Integer{1} << 62;  // beyond any length, and safe to add to
  return static_cast<int64_t>(std::clamp(*integer, -kFar, kFar));
}

[[nodiscard]] std::string slice_text(const std::string& text, const SlicePlaces& places) {
  if (places.step == 1) {
    const size_t begin = byte_offset(text, static_cast<size_t>(places.start));
    const std::string_view rest = std::string_view(text).substr(begin);
    return std::string(rest.substr(0, byte_offset(rest, places.count)));
  }
  const std::u32string characters = to_code_points(text);
  std::string out;
  for (size_t i = 0; i < places.count; ++i) {
    append_utf8(characters[static_cast<size_t>(places.start + static_cast<int64_t>(i) * places.step)], out);
  }
  return out;
}

}  // namespace

Value get_attribute(const Value& object, std::string_view name, Budget& budget) {
  require_defined(object);
  if (std::optional<Value> attribute = find_attribute(object, name, budget)) return *attribute;
  if (object.is_dict()) {
    if (const Value* value = object.as_dict().find(name)) return *value;
  }
  return missing_attribute(object, name, budget);
}

Value get_item(const Value& object, const Value& key, Budget& budget) {
  require_defined(object);
  if (std::optional<Value> item = find_item(object, key, budget)) return *item;
  if (key.is_text()) {
    if (std::optional<Value> attribute = find_attribute(object, key.as_text(), budget)) return *attribute;
  }
  return missing_item(object, key, budget);
}

SlicePlaces slice_places(const Value& start, const Value& stop, const Value& step, size_t length) {
  const int64_t stride = slice_bound(step).value_or(1);
  if (stride == 0) raise("slice step cannot be zero");
  const auto size = static_cast<int64_t>(length);
  const int64_t lowest = stride > 0 ? 0 : -1;
  const int64_t highest = stride > 0 ? size : size - 1;
  const auto place = [&](std::optional<int64_t> bound, int64_t absent) {
    if (!bound) return absent;
    return std::clamp(*bound < 0 ? *bound + size : *bound, lowest, highest);
  };
  const int64_t first = place(slice_bound(start), stride > 0 ? lowest : highest);
  const int64_t end = place(slice_bound(stop), stride > 0 ? highest : lowest);
  const int64_t distance = stride > 0 ? end - first : first - end;
  const int64_t width = stride > 0 ? stride : -stride;
  const size_t count = distance > 0 ? static_cast<size_t>((distance - 1) / width + 1) : 0;
  return {first, end, stride, count};
}

Value get_slice(const Value& object, const Value& start, const Value& stop, const Value& step,
                Budget& budget) {
  require_defined(object);
  if (const Range* range = object.object_as<Range>()) {
    return range->slice(slice_places(start, stop, step, range->size()), budget);
  }
  if (!object.is_text() && !object.is_sequence()) {
    if (object.is_dict()) raise("unhashable type: 'slice'");
    raise("'", type_name(object), "' object is not subscriptable");
  }
  const SlicePlaces places = slice_places(start, stop, step, *length_of(object, budget));
  if (object.is_text()) {
    budget.prepare_text(std::min(object.as_text().size(), 4 * places.count));
    budget.spend_characters(object.as_text().size());
    return make_text_like(object, budget, slice_text(object.as_text(), places));
  }
  budget.prepare_elements(places.count, sizeof(Value));
  Values items;
  items.reserve(places.count);
  for (size_t i = 0; i < places.count; ++i) {
    items.push_back(
        object.items()[static_cast<size_t>(places.start + static_cast<int64_t>(i) * places.step)]);
  }
  return object.is(Kind::list) ? make_list(budget, std::move(items)) : make_tuple(budget, std::move(items));
}

AttributePath::AttributePath(const Value& path, Budget& budget) {
  if (path.is_none()) return;
  if (!path.is_text()) {
    parts_.push_back(path);
    return;
  }
  const std::string& text = path.as_text();
  for (size_t begin = 0; begin <= text.size();) {
    budget.spend();
    const size_t end = std::min(text.find('.', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const bool is_number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    parts_.push_back(is_number ? Value::integer(parse_integer(part).value_or(0)) : make_text(budget, part));
    begin = end + 1;
  }
}

Value AttributePath::of(const Value& object, Budget& budget) const {
  return of(object, Value::none(), budget);
}

Value AttributePath::of(const Value& object, const Value& otherwise, Budget& budget) const {
  Value value = object;
  for (const Value& part : parts_) {
    value = get_item(value, part, budget);
    if (value.is_undefined() && !otherwise.is_none()) value = otherwise;
  }
  return value;
}

}  // namespace linnet::jinja
