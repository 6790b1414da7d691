#include "text/jinja/globals.h"

#include <algorithm>

#include "text/jinja/namespace.h"
#include "text/jinja/parameters.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/range.h"

namespace linnet::jinja {
namespace {

// dict(…): of another dict or of pairs, and of keyword arguments.
[[nodiscard]] Dict dict_of(Arguments arguments, Budget& budget) {
  if (arguments.positional.size() > 1)
    raise("dict expected at most 1 argument, got ", arguments.positional.size());
  Dict dict;
  if (!arguments.positional.empty()) {
    const Value& source = arguments.positional[0];
    if (source.is_dict()) {
      budget.prepare_elements(source.as_dict().size(), sizeof(Dict::Entry));
      for (const Dict::Entry& entry : source.as_dict().entries()) dict.set(entry.key, entry.value, budget);
    } else {
      const std::shared_ptr<Iterator> elements = iterate(source, budget);
      while (const std::optional<Value> element = elements->next()) {
        const Values pair = to_items(*element, budget);
        if (pair.size() != 2)
          raise("dictionary update sequence element has length ", pair.size(), "; 2 is required");
        budget.prepare_elements(dict.size() / 64 + 1, 2 * sizeof(Dict::Entry));
        dict.set(pair[0], pair[1], budget);
      }
    }
  }
  for (auto& [name, value] : arguments.keywords) dict.set(make_text(budget, name), std::move(value), budget);
  return dict;
}

[[nodiscard]] Value new_dict(Arguments arguments, Budget& budget) {
  return make_dict(budget, dict_of(std::move(arguments), budget));
}

[[nodiscard]] Value new_namespace(Arguments arguments, Budget& budget) {
  auto created = std::make_shared<Namespace>(dict_of(std::move(arguments), budget));
  budget.keep_if_shared(created);
  return Value::object(std::move(created));
}

class Cycler : public Object {
 public:
  Cycler(Values items, size_t depth, Budget& budget)
      : Object(depth), items_(std::move(items)), charge_(budget, items_.size() * sizeof(Value) + 128) {}

  [[nodiscard]] std::string_view type_name() const override { return "Cycler"; }
  [[nodiscard]] std::optional<Value> attribute(std::string_view name, Budget& budget) override {
    const auto self = std::static_pointer_cast<Cycler>(shared_from_this());
    if (name == "current") return items_[place_];
    if (name == "next")
      return make_function(
          budget, name, [self](Arguments, Budget&) { return self->next(); }, depth());
    if (name != "reset") return std::nullopt;
    const auto reset = [self](Arguments, Budget&) {
      self->place_ = 0;
      return Value::none();
    };
    return make_function(budget, name, reset, depth());
  }

 private:
  [[nodiscard]] Value next() {
    const size_t place = place_;
    place_ = (place_ + 1) % items_.size();
    return items_[place];
  }

  Values items_;
  size_t place_ = 0;
  Charge charge_;
};

[[nodiscard]] Value new_cycler(Arguments arguments, Budget& budget) {
  if (arguments.positional.empty()) raise("at least one item has to be provided");
  size_t depth = 0;
  for (const Value& item : arguments.positional) depth = std::max(depth, item.depth());
  budget.check_value_depth(depth + 1);
  return Value::object(std::make_shared<Cycler>(std::move(arguments.positional), depth + 1, budget));
}

class Joiner : public Object {
 public:
  Joiner(Value separator, Budget& budget)
      : Object(separator.depth() + 1),
        separator_(std::move(separator)),
        charge_(budget, sizeof(Joiner) + 64) {
    budget.check_value_depth(depth());
  }
  [[nodiscard]] std::string_view type_name() const override { return "Joiner"; }
  [[nodiscard]] bool is_callable() const override { return true; }
  [[nodiscard]] Value call(Arguments arguments, Budget&) override {
    require_no_arguments("joiner", arguments);
    return std::exchange(used_, true) ? separator_ : Value::text("");
  }

 private:
  Value separator_;
  bool used_ = false;
  Charge charge_;
};

[[nodiscard]] Value new_joiner(Arguments arguments, Budget& budget) {
  const Parameters parameters("joiner", std::move(arguments), {"sep"}, 0);
  return Value::object(std::make_shared<Joiner>(parameters.value_or(0, Value::text(", ")), budget));
}

[[nodiscard]] Value raise_exception(Arguments arguments, Budget& budget) {
  const Parameters parameters("raise_exception", std::move(arguments), {"message"}, 1);
  raise(to_text(*parameters.get(0), budget));
}

}  // namespace

std::string Namespace::print(Budget& budget) const {
  BoundedText out(budget);
  out.append("<Namespace {");
  bool is_first = true;
  for (const Dict::Entry& entry : attributes_.entries()) {
    if (!is_first) out.append(", ");
    is_first = false;
    append_repr(out, entry.key);
    out.append(": ");
    append_repr(out, entry.value);
  }
  out.append("}>");
  return out.take();
}

Dict make_globals() {
  Dict globals;
  globals.set("range", host_function("range", make_range));
  globals.set("dict", host_function("dict", new_dict));
  globals.set("namespace", host_function("namespace", new_namespace));
  globals.set("cycler", host_function("cycler", new_cycler));
  globals.set("joiner", host_function("joiner", new_joiner));
  globals.set("raise_exception", host_function("raise_exception", raise_exception));
  return globals;
}

}  // namespace linnet::jinja
