// Filters on sequences that look at them as they are: length, first, join, list, sum, …
#include <algorithm>

#include "base/philox.h"
#include "text/jinja/access.h"
#include "text/jinja/arithmetic.h"
#include "text/jinja/filter_tables.h"
#include "text/jinja/parameters.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] Value length(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("length", arguments);
  const std::optional<size_t> count = length_of(subject, budget);
  if (!count) raise("object of type '", type_name(subject), "' has no len()");
  return Value::integer(static_cast<Integer>(*count));
}

[[nodiscard]] Value first(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("first", arguments);
  std::optional<Value> element = iterate(subject, budget)->next();
  return element ? *element : make_undefined(budget, "No first item, sequence was empty.");
}

[[nodiscard]] Value last(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("last", arguments);
  const std::shared_ptr<Iterator> elements = try_reversed(subject, budget);
  if (!elements && !subject.is_undefined()) raise("'", type_name(subject), "' object is not reversible");
  std::optional<Value> element = elements ? elements->next() : std::nullopt;
  return element ? *element : make_undefined(budget, "No last item, sequence was empty.");
}

// Any element will do, so it is one that depends on nothing but the template and its input: the same chat
// gives the same text. A rendering draws a new one each time, because it has taken more steps by then.
[[nodiscard]] Value random(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("random", arguments);
  const std::optional<size_t> count = length_of(subject, budget);
  if (!count) raise("object of type '", type_name(subject), "' has no len()");
  if (*count == 0) return make_undefined(budget, "No random item, sequence was empty.");
  const uint64_t number = budget.steps_used();
  const auto drawn =
      philox4x32({static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32), 0, 0}, 0);
  const size_t place = (static_cast<uint64_t>(drawn[0]) << 32 | drawn[1]) % *count;
  const Value element = get_item(subject, Value::integer(static_cast<Integer>(place)), budget);
  if (element.is_undefined() && !subject.is_sequence())
    raise("'", type_name(subject), "' has no element ", place, " to choose");
  return element;
}

[[nodiscard]] Value join(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("join", std::move(arguments), {"d", "attribute"}, 0);
  const std::string separator = parameters.has(0) ? to_text(*parameters.get(0), budget) : "";
  const AttributePath path(parameters.value_or(1, Value::none()), budget);
  const std::shared_ptr<Iterator> elements = iterate(subject, budget);
  BoundedText out(budget);
  bool is_first = true;
  while (const std::optional<Value> element = elements->next()) {
    if (!is_first) out.append(separator);
    is_first = false;
    append_text(out, path.of(*element, budget));
  }
  return make_text(budget, out.take());
}

[[nodiscard]] Value list(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("list", arguments);
  return make_list(budget, to_items(subject, budget));
}

[[nodiscard]] Value reverse(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("reverse", arguments);
  if (subject.is_text()) {
    budget.prepare_text(4 * subject.as_text().size());
    const std::u32string characters = to_code_points(subject.as_text());
    return make_text_like(subject, budget, to_utf8(std::u32string(characters.rbegin(), characters.rend())));
  }
  // Of nothing there are no elements to turn, which is no list either.
  const std::shared_ptr<Iterator> elements =
      subject.is_undefined() ? try_iterate(subject, budget) : try_reversed(subject, budget);
  if (elements) {
    return make_generator(
        budget, subject.depth(), [elements] { return elements->next(); }, "list_reverseiterator");
  }
  if (!try_iterate(subject, budget)) raise("argument must be iterable");
  Values items = to_items(subject, budget);
  std::reverse(items.begin(), items.end());
  return make_list(budget, std::move(items));
}

[[nodiscard]] Value sum(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("sum", std::move(arguments), {"attribute", "start"}, 0);
  const AttributePath path(parameters.value_or(0, Value::none()), budget);
  Value total = parameters.value_or(1, Value::integer(0));
  if (total.is_text()) raise("sum() can't sum strings [use ''.join(seq) instead]");
  const std::shared_ptr<Iterator> elements = iterate(subject, budget);
  while (const std::optional<Value> element = elements->next())
    total = add(total, path.of(*element, budget), budget);
  return total;
}

constexpr NamedFilter kSequenceFilters[] = {
    {"count", length}, {"first", first},   {"join", join},       {"last", last}, {"length", length},
    {"list", list},    {"random", random}, {"reverse", reverse}, {"sum", sum},
};

}  // namespace

std::span<const NamedFilter> sequence_filters() {
  return kSequenceFilters;
}

}  // namespace linnet::jinja
