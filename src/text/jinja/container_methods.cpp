// Methods of lists, tuples, dicts and numbers; and the one table of all methods.
#include <algorithm>
#include <cmath>

#include "text/jinja/dict.h"
#include "text/jinja/markup.h"
#include "text/jinja/methods.h"
#include "text/jinja/object.h"
#include "text/jinja/parameters.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {
namespace {

enum class Part { keys, values, items };

// dict.keys(), dict.values() and dict.items().
class DictView : public Object {
 public:
  DictView(Value dict, Part part, Budget& budget)
      : Object(dict.depth() + 1),
        dict_(std::move(dict)),
        part_(part),
        charge_(budget, sizeof(DictView) + 64) {
    budget.check_value_depth(depth());
  }

  [[nodiscard]] std::string_view type_name() const override {
    return part_ == Part::keys ? "dict_keys" : part_ == Part::values ? "dict_values" : "dict_items";
  }
  [[nodiscard]] std::optional<size_t> length(Budget&) override { return dict_.as_dict().size(); }
  [[nodiscard]] bool truthy(Budget&) override { return dict_.as_dict().size() > 0; }

  [[nodiscard]] std::string print(Budget& budget) const override {
    Values elements;
    for (size_t i = 0; i < dict_.as_dict().size(); ++i) elements.push_back(element(i, budget));
    return concat(type_name(), "(", to_repr(make_list(budget, std::move(elements)), budget), ")");
  }

  [[nodiscard]] std::shared_ptr<Iterator> iterate(Budget& budget) override;

  [[nodiscard]] Value element(size_t place, Budget& budget) const {
    budget.spend();
    const Dict::Entry& entry = dict_.as_dict().entries()[place];
    if (part_ == Part::items) return make_tuple(budget, {entry.key, entry.value});
    return part_ == Part::keys ? entry.key : entry.value;
  }

 private:
  Value dict_;
  Part part_;
  Charge charge_;
};

class DictViewIterator : public Iterator {
 public:
  DictViewIterator(std::shared_ptr<DictView> view, size_t count, Budget& budget)
      : view_(std::move(view)), count_(count), budget_(budget) {}
  std::optional<Value> next() override {
    if (place_ == count_) return std::nullopt;
    return view_->element(place_++, budget_);
  }

 private:
  std::shared_ptr<DictView> view_;
  size_t count_;
  Budget& budget_;
  size_t place_ = 0;
};

std::shared_ptr<Iterator> DictView::iterate(Budget& budget) {
  return std::make_shared<DictViewIterator>(std::static_pointer_cast<DictView>(shared_from_this()),
                                            dict_.as_dict().size(), budget);
}

template <Part part>
[[nodiscard]] Value view(const Value& self, Arguments arguments, Budget& budget) {
  require_no_arguments("dict method", arguments);
  return Value::object(std::make_shared<DictView>(self, part, budget));
}

[[nodiscard]] Value dict_get(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("get", std::move(arguments), {"/key", "/default"}, 1);
  const Value* found = self.as_dict().find(*parameters.get(0), budget);
  return found ? *found : parameters.value_or(1, Value::none());
}

[[nodiscard]] Value copy(const Value& self, Arguments arguments, Budget&) {
  require_no_arguments("copy", arguments);
  return self;
}

[[nodiscard]] Value count_item(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("count", std::move(arguments), {"/value"}, 1);
  Integer found = 0;
  for (const Value& item : self.items()) found += equals(item, *parameters.get(0), budget) ? 1 : 0;
  return Value::integer(found);
}

[[nodiscard]] Value index_of_item(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("index", std::move(arguments), {"/value", "/start", "/stop"}, 1);
  const auto length = static_cast<int64_t>(self.items().size());
  const auto place = [&](int64_t bound) {
    return std::clamp<int64_t>(bound < 0 ? bound + length : bound, 0, length);
  };
  const int64_t stop = place(parameters.index_or(2, length));
  for (int64_t i = place(parameters.index_or(1, 0)); i < stop; ++i) {
    if (equals(self.items()[static_cast<size_t>(i)], *parameters.get(0), budget)) return Value::integer(i);
  }
  raise(to_repr(*parameters.get(0), budget), " is not in ", type_name(self));
}

[[nodiscard]] Value is_integer(const Value& self, Arguments arguments, Budget&) {
  require_no_arguments("is_integer", arguments);
  return Value::boolean(std::floor(self.as_floating()) == self.as_floating());
}

[[nodiscard]] Value bit_length(const Value& self, Arguments arguments, Budget&) {
  require_no_arguments("bit_length", arguments);
  Integer bits = 0;
  for (Integer rest = *integer_of(self); rest != 0; rest /= 2) ++bits;
  return Value::integer(bits);
}

constexpr NamedMethod kDictMethods[] = {
    {"copy", copy},
    {"get", dict_get},
    {"items", view<Part::items>},
    {"keys", view<Part::keys>},
    {"values", view<Part::values>},
};
constexpr NamedMethod kListMethods[] = {{"copy", copy}, {"count", count_item}, {"index", index_of_item}};
constexpr NamedMethod kTupleMethods[] = {{"count", count_item}, {"index", index_of_item}};
constexpr NamedMethod kIntegerMethods[] = {{"bit_length", bit_length}};
constexpr NamedMethod kFloatMethods[] = {{"is_integer", is_integer}};

[[nodiscard]] Method find_text_method(std::string_view name) {
  for (const auto find : {find_split_method, find_search_method, find_case_method, find_layout_method}) {
    if (const Method method = find(name)) return method;
  }
  for (const std::string_view unsupported :
       {"casefold", "encode", "isidentifier", "maketrans", "translate"}) {
    if (name == unsupported) raise("the method str.", name, "() is not supported");
  }
  return nullptr;
}

[[nodiscard]] Method find_bare_method(const Value& self, std::string_view name) {
  switch (self.kind()) {
    case Kind::text:
      return find_text_method(name);
    case Kind::dict:
      return find_in(kDictMethods, name);
    case Kind::list:
      return find_in(kListMethods, name);
    case Kind::tuple:
      return find_in(kTupleMethods, name);
    case Kind::boolean:
    case Kind::integer:
      return find_in(kIntegerMethods, name);
    case Kind::floating:
      return find_in(kFloatMethods, name);
    default:
      return nullptr;
  }
}

[[nodiscard]] std::optional<Value> number_attribute(const Value& self, std::string_view name) {
  if (!floating_of(self)) return std::nullopt;
  const bool is_integer = integer_of(self).has_value();
  if (name == "real") return is_integer ? Value::integer(*integer_of(self)) : self;
  if (name == "imag") return is_integer ? Value::integer(0) : Value::floating(0);
  if (is_integer && name == "numerator") return Value::integer(*integer_of(self));
  if (is_integer && name == "denominator") return Value::integer(1);
  return std::nullopt;
}

}  // namespace

std::optional<Value> find_method(const Value& self, std::string_view name, Budget& budget) {
  const Method method = find_bare_method(self, name);
  if (!method) return number_attribute(self, name);
  const auto body = [self, method, name = std::string(name)](Arguments arguments, Budget& spent) {
    return call_text_method(name, method, self, std::move(arguments), spent);
  };
  return make_function(budget, name, body, self.depth());
}

bool is_mutating_method(const Value& self, std::string_view name) {
  const auto is_one_of = [name](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (self.is_dict()) return is_one_of({"clear", "pop", "popitem", "setdefault", "update"});
  if (!self.is(Kind::list)) return false;
  return is_one_of({"append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove"});
}

}  // namespace linnet::jinja
