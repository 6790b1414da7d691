// Filters that return a generator: map, select and its kin, unique, batch, slice, items. As in Python,
// nothing happens, and nothing fails, before the first element is asked for.
#include <algorithm>

#include "text/jinja/access.h"
#include "text/jinja/dict.h"
#include "text/jinja/filter_tables.h"
#include "text/jinja/parameters.h"
#include "text/jinja/protocol.h"
#include "text/jinja/tests.h"

namespace linnet::jinja {
namespace {

using Transform = std::function<Value(const Value&)>;
using Predicate = std::function<bool(const Value&)>;

// Elements of subject, begun at the first request. For map and select a subject that is false has none, even
// if it could not be iterated.
class Source {
 public:
  Source(Value subject, bool may_be_false, Budget& budget)
      : subject_(std::move(subject)), may_be_false_(may_be_false), budget_(budget) {}
  [[nodiscard]] std::optional<Value> next() {
    if (!elements_) {
      if (may_be_false_ && !is_truthy(subject_, budget_)) return std::nullopt;
      elements_ = iterate(subject_, budget_);
    }
    budget_.spend();
    return elements_->next();
  }

 private:
  Value subject_;
  bool may_be_false_;
  Budget& budget_;
  std::shared_ptr<Iterator> elements_;
};

[[nodiscard]] size_t depth_of(const Value& subject, const Arguments& arguments) {
  size_t depth = subject.depth();
  for (const Value& value : arguments.positional) depth = std::max(depth, value.depth());
  for (const auto& [name, value] : arguments.keywords) depth = std::max(depth, value.depth());
  return depth;
}

[[nodiscard]] std::string name_of(const Value& value, std::string_view what) {
  if (!value.is_text()) {
    require_defined(value);
    raise("No ", what, " named by a value of type '", type_name(value), "'.");
  }
  return value.as_text();
}

// map(attribute=…, default=…) or map(filter name, arguments …).
[[nodiscard]] Transform transform_of(Arguments arguments, Budget& budget) {
  const bool by_attribute = arguments.positional.empty() &&
                            std::any_of(arguments.keywords.begin(), arguments.keywords.end(),
                                        [](const auto& keyword) { return keyword.first == "attribute"; });
  if (by_attribute) {
    const Parameters parameters("map", std::move(arguments), {"attribute", "default"}, 1);
    return
        [path = AttributePath(*parameters.get(0), budget), otherwise = parameters.value_or(1, Value::none()),
         &budget](const Value& element) { return path.of(element, otherwise, budget); };
  }
  if (arguments.positional.empty()) raise("map requires a filter argument");
  const std::string name = name_of(arguments.positional[0], "filter");
  const Filter filter = find_filter(name);
  if (!filter) raise("No filter named '", name, "'.");
  arguments.positional.erase(arguments.positional.begin());
  return [filter, arguments, &budget](const Value& element) { return filter(element, arguments, budget); };
}

[[nodiscard]] Value map(const Value& subject, Arguments arguments, Budget& budget) {
  const size_t depth = depth_of(subject, arguments);
  return make_generator(budget, depth,
                        [source = Source(subject, true, budget), arguments = std::move(arguments),
                         transform = Transform(), &budget]() mutable -> std::optional<Value> {
                          const std::optional<Value> element = source.next();
                          if (!element) return std::nullopt;
                          if (!transform) transform = transform_of(arguments, budget);
                          return transform(*element);
                        });
}

// select(test name, arguments …); with an attribute first for selectattr. Without a test, truth itself.
[[nodiscard]] Predicate predicate_of(Arguments arguments, bool with_attribute, Budget& budget) {
  Values& positional = arguments.positional;
  Value attribute;
  if (with_attribute) {
    if (positional.empty()) raise("Missing parameter for attribute name");
    attribute = positional[0];
    positional.erase(positional.begin());
  }
  const AttributePath path(attribute, budget);
  if (positional.empty()) {
    return [path, &budget](const Value& element) { return is_truthy(path.of(element, budget), budget); };
  }
  const std::string name = name_of(positional[0], "test");
  const Test test = find_test(name);
  if (!test) raise("No test named '", name, "'.");
  positional.erase(positional.begin());
  return [path, test, arguments, &budget](const Value& element) {
    return test(path.of(element, budget), arguments, budget);
  };
}

template <bool wanted, bool with_attribute>
[[nodiscard]] Value select(const Value& subject, Arguments arguments, Budget& budget) {
  const size_t depth = depth_of(subject, arguments);
  return make_generator(budget, depth,
                        [source = Source(subject, true, budget), arguments = std::move(arguments),
                         predicate = Predicate(), &budget]() mutable -> std::optional<Value> {
                          while (std::optional<Value> element = source.next()) {
                            if (!predicate) predicate = predicate_of(arguments, with_attribute, budget);
                            if (predicate(*element) == wanted) return element;
                          }
                          return std::nullopt;
                        });
}

[[nodiscard]] Value unique(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("unique", std::move(arguments), {"case_sensitive", "attribute"}, 0);
  const bool case_sensitive = parameters.truthy_or(0, false, budget);
  const auto path = std::make_shared<AttributePath>(parameters.value_or(1, Value::none()), budget);
  const auto seen = std::make_shared<Dict>();
  return make_generator(
      budget, subject.depth(),
      [=, source = Source(subject, false, budget), &budget]() mutable -> std::optional<Value> {
        while (std::optional<Value> element = source.next()) {
          Value key = comparable(path->of(*element, budget), case_sensitive, budget);
          if (seen->find(key, budget)) continue;
          budget.prepare_elements(seen->size() / 64 + 1, 2 * sizeof(Dict::Entry));
          seen->set(std::move(key), Value::none(), budget);
          return element;
        }
        return std::nullopt;
      });
}

[[nodiscard]] Value batch(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("batch", std::move(arguments), {"linecount", "fill_with"}, 1);
  const int64_t size = parameters.index(0);
  const Value fill = parameters.value_or(1, Value::none());
  const auto pending = std::make_shared<std::optional<Value>>();  // read, but of the next batch
  const auto elements = std::make_shared<std::shared_ptr<Iterator>>();
  return make_generator(budget, std::max(subject.depth(), fill.depth()) + 1,
                        [=, &budget]() -> std::optional<Value> {
                          if (!*elements) {
                            *elements = iterate(subject, budget);
                            *pending = (*elements)->next();
                            // Jinja's: a full batch of no elements is ready before the first.
                            if (*pending && size == 0) return make_list(budget, {});
                          }
                          if (!*pending) return std::nullopt;
                          Values items;
                          do {
                            items.push_back(std::move(**pending));
                            *pending = (*elements)->next();
                          } while (*pending && static_cast<int64_t>(items.size()) != size);
                          const auto missing = size - static_cast<int64_t>(items.size());
                          if (!*pending && !fill.is_none() && missing > 0) {
                            budget.prepare_elements(static_cast<size_t>(missing), sizeof(Value));
                            items.insert(items.end(), static_cast<size_t>(missing), fill);
                          }
                          return make_list(budget, std::move(items));
                        });
}

// In so many parts of nearly the same length, the longer ones first.
[[nodiscard]] Value slice(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("slice", std::move(arguments), {"slices", "fill_with"}, 1);
  const int64_t parts = parameters.index(0);
  const Value fill = parameters.value_or(1, Value::none());
  const auto items = std::make_shared<std::optional<Value>>();
  const auto done = std::make_shared<int64_t>(0);
  return make_generator(budget, std::max(subject.depth(), fill.depth()) + 1,
                        [=, &budget]() -> std::optional<Value> {
                          if (!*items) *items = make_list(budget, to_items(subject, budget));
                          const Values& all = (*items)->items();
                          if (parts == 0) raise("integer division or modulo by zero");
                          if (*done >= parts) return std::nullopt;
                          const auto length = static_cast<int64_t>(all.size());
                          const int64_t each = length / parts;
                          const int64_t longer = length % parts;
                          const int64_t number = (*done)++;
                          const int64_t begin = number * each + std::min(number, longer);
                          const int64_t end = begin + each + (number < longer ? 1 : 0);
                          Values part(all.begin() + begin, all.begin() + end);
                          if (!fill.is_none() && number >= longer) part.push_back(fill);
                          budget.spend(part.size() + 1);
                          return make_list(budget, std::move(part));
                        });
}

[[nodiscard]] Value items(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("items", arguments);
  return make_generator(budget, subject.depth() + 1,
                        [subject, place = size_t{0}, &budget]() mutable -> std::optional<Value> {
                          if (subject.is_undefined()) return std::nullopt;
                          if (!subject.is_dict()) raise("Can only get item pairs from a mapping.");
                          const auto& entries = subject.as_dict().entries();
                          if (place == entries.size()) return std::nullopt;
                          budget.spend();
                          const Dict::Entry& entry = entries[place++];
                          return make_tuple(budget, {entry.key, entry.value});
                        });
}

constexpr NamedFilter kLazyFilters[] = {
    {"batch", batch},
    {"items", items},
    {"map", map},
    {"reject", select<false, false>},
    {"rejectattr", select<false, true>},
    {"select", select<true, false>},
    {"selectattr", select<true, true>},
    {"slice", slice},
    {"unique", unique},
};

}  // namespace

std::span<const NamedFilter> lazy_filters() {
  return kLazyFilters;
}

}  // namespace linnet::jinja
