// Filters that compare elements: sort, dictsort, groupby, min, max.
#include <algorithm>

#include "text/jinja/access.h"
#include "text/jinja/dict.h"
#include "text/jinja/filter_tables.h"
#include "text/jinja/parameters.h"
#include "text/jinja/protocol.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

struct Keyed {
  Values keys;
  Value element;
};

// Stable, also downwards, as Python's sorted() is. A single key is compared itself; several as lists are,
// which looks for the first that differs.
void sort_by_keys(std::vector<Keyed>& elements, bool is_single, bool reverse, Budget& budget) {
  const auto before = [&](const Keyed& a, const Keyed& b) {
    if (is_single) return less(a.keys[0], b.keys[0], budget);
    for (size_t i = 0; i < a.keys.size(); ++i) {
      if (!equals(a.keys[i], b.keys[i], budget)) return less(a.keys[i], b.keys[i], budget);
    }
    return false;
  };
  std::stable_sort(elements.begin(), elements.end(),
                   [&](const Keyed& a, const Keyed& b) { return reverse ? before(b, a) : before(a, b); });
}

[[nodiscard]] Value elements_of(std::vector<Keyed> elements, Budget& budget) {
  Values out;
  out.reserve(elements.size());
  for (Keyed& element : elements) out.push_back(std::move(element.element));
  return make_list(budget, std::move(out));
}

// "a,b.c" as the paths a and b.c.
[[nodiscard]] std::vector<AttributePath> paths_of(const Value& attribute, Budget& budget) {
  std::vector<AttributePath> paths;
  if (!attribute.is_text()) {
    paths.emplace_back(attribute, budget);
    return paths;
  }
  const std::string& text = attribute.as_text();
  for (size_t begin = 0; begin <= text.size();) {
    budget.spend();
    const size_t end = std::min(text.find(',', begin), text.size());
    paths.emplace_back(make_text(budget, text.substr(begin, end - begin)), budget);
    begin = end + 1;
  }
  return paths;
}

[[nodiscard]] Value sort(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("sort", std::move(arguments), {"reverse", "case_sensitive", "attribute"}, 0);
  const bool case_sensitive = parameters.truthy_or(1, false, budget);
  const std::vector<AttributePath> paths = paths_of(parameters.value_or(2, Value::none()), budget);
  std::vector<Keyed> elements;
  for (Value& element : to_items(subject, budget)) {
    budget.prepare_elements(1 + paths.size(), sizeof(Value));
    Keyed keyed;
    for (const AttributePath& path : paths) {
      keyed.keys.push_back(comparable(path.of(element, budget), case_sensitive, budget));
    }
    keyed.element = std::move(element);
    elements.push_back(std::move(keyed));
  }
  sort_by_keys(elements, false, parameters.truthy_or(0, false, budget), budget);
  return elements_of(std::move(elements), budget);
}

[[nodiscard]] Value dict_sort(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("dictsort", std::move(arguments), {"case_sensitive", "by", "reverse"}, 0);
  const bool case_sensitive = parameters.truthy_or(0, false, budget);
  const std::string_view by = parameters.text_or(1, "key");
  if (by != "key" && by != "value") raise("You can only sort by either \"key\" or \"value\"");
  require_defined(subject);
  if (!subject.is_dict()) raise("'", type_name(subject), "' object has no attribute 'items'");
  std::vector<Keyed> elements;
  for (const Dict::Entry& entry : subject.as_dict().entries()) {
    const Value& key = by == "key" ? entry.key : entry.value;
    elements.push_back(
        {{comparable(key, case_sensitive, budget)}, make_tuple(budget, {entry.key, entry.value})});
  }
  sort_by_keys(elements, true, parameters.truthy_or(2, false, budget), budget);
  return elements_of(std::move(elements), budget);
}

[[nodiscard]] Value group_by(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("groupby", std::move(arguments), {"attribute", "default", "case_sensitive"}, 1);
  const AttributePath path(*parameters.get(0), budget);
  const Value otherwise = parameters.value_or(1, Value::none());
  const bool case_sensitive = parameters.truthy_or(2, false, budget);
  std::vector<Keyed> elements;
  for (Value& element : to_items(subject, budget)) {
    Value key = comparable(path.of(element, otherwise, budget), case_sensitive, budget);
    elements.push_back({{std::move(key)}, std::move(element)});
  }
  sort_by_keys(elements, true, false, budget);
  Values groups;
  for (size_t begin = 0; begin < elements.size();) {
    Values members;
    size_t end = begin;
    while (end < elements.size() && equals(elements[begin].keys[0], elements[end].keys[0], budget)) {
      members.push_back(elements[end++].element);
    }
    if (end == begin) members.push_back(elements[end++].element);  // a NaN is not even equal to itself
    // The key as the first member has it, not as it was compared.
    Value key = path.of(members[0], otherwise, budget);
    groups.push_back(make_group(budget, std::move(key), make_list(budget, std::move(members))));
    begin = end;
  }
  return make_list(budget, std::move(groups));
}

template <bool largest>
[[nodiscard]] Value extreme(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters(largest ? "max" : "min", std::move(arguments), {"case_sensitive", "attribute"},
                              0);
  const bool case_sensitive = parameters.truthy_or(0, false, budget);
  const AttributePath path(parameters.value_or(1, Value::none()), budget);
  const std::shared_ptr<Iterator> elements = iterate(subject, budget);
  std::optional<Value> best;
  Value best_key;
  while (std::optional<Value> element = elements->next()) {
    Value key = comparable(path.of(*element, budget), case_sensitive, budget);
    const bool better = !best || (largest ? less(best_key, key, budget, ">") : less(key, best_key, budget));
    if (!better) continue;
    best = std::move(element);
    best_key = std::move(key);
  }
  return best ? *best : make_undefined(budget, "No aggregated item, sequence was empty.");
}

constexpr NamedFilter kOrderFilters[] = {
    {"dictsort", dict_sort}, {"groupby", group_by}, {"max", extreme<true>},
    {"min", extreme<false>}, {"sort", sort},
};

}  // namespace

Value comparable(const Value& value, bool case_sensitive, Budget& budget) {
  if (case_sensitive || !value.is_text()) return value;
  budget.prepare_text(4 * value.as_text().size());
  budget.spend_characters(2 * value.as_text().size());
  return make_text(budget, to_lower(value.as_text()));
}

std::span<const NamedFilter> order_filters() {
  return kOrderFilters;
}

}  // namespace linnet::jinja
