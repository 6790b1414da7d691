// Filters on texts. What is not a text is made one first, where Jinja does so.
#include <algorithm>

#include "text/jinja/arithmetic.h"
#include "text/jinja/dict.h"
#include "text/jinja/filter_tables.h"
#include "text/jinja/markup.h"
#include "text/jinja/methods.h"
#include "text/jinja/parameters.h"
#include "text/jinja/print.h"
#include "text/jinja/printf_format.h"
#include "text/jinja/protocol.h"
#include "text/jinja/text_wrap.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] Value as_text_value(const Value& value, Budget& budget) {
  return value.is_text() ? value : make_text(budget, to_text(value, budget));
}

[[nodiscard]] Value by_method(std::string_view name, Method (*find)(std::string_view), const Value& subject,
                              Arguments arguments, Budget& budget) {
  return call_text_method(name, find(name), as_text_value(subject, budget), std::move(arguments), budget);
}

[[nodiscard]] Value capitalized(const Value& subject, Arguments arguments, Budget& budget) {
  return by_method("capitalize", find_case_method, subject, std::move(arguments), budget);
}

[[nodiscard]] Value lowered(const Value& subject, Arguments arguments, Budget& budget) {
  return by_method("lower", find_case_method, subject, std::move(arguments), budget);
}

[[nodiscard]] Value raised(const Value& subject, Arguments arguments, Budget& budget) {
  return by_method("upper", find_case_method, subject, std::move(arguments), budget);
}

[[nodiscard]] Value center(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("center", std::move(arguments), {"width"}, 0);
  return by_method("center", find_layout_method, subject, {{Value::integer(parameters.index_or(0, 80))}, {}},
                   budget);
}

[[nodiscard]] Value trim(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("trim", std::move(arguments), {"chars"}, 0);
  return by_method("strip", find_split_method, subject, {{parameters.value_or(0, Value::none())}, {}},
                   budget);
}

[[nodiscard]] Value replace(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("replace", std::move(arguments), {"old", "new", "count"}, 2);
  Arguments converted;
  converted.positional.push_back(as_text_value(*parameters.get(0), budget));
  converted.positional.push_back(as_text_value(*parameters.get(1), budget));
  if (const Value* count = parameters.get_unless_none(2)) converted.positional.push_back(*count);
  return find_search_method("replace")(as_text_value(subject, budget), std::move(converted), budget);
}

[[nodiscard]] Value format(const Value& subject, Arguments arguments, Budget& budget) {
  if (!arguments.positional.empty() && !arguments.keywords.empty()) {
    raise("can't handle positional and keyword arguments at the same time");
  }
  Value values = make_tuple(budget, std::move(arguments.positional));
  if (!arguments.keywords.empty()) {
    Dict named;
    for (auto& [name, value] : arguments.keywords)
      named.set(make_text(budget, name), std::move(value), budget);
    values = make_dict(budget, std::move(named));
  }
  return format_percent(as_text_value(subject, budget), values, budget);
}

// Words begin after spaces, hyphens and opening brackets; unlike str.title(), an apostrophe begins none.
[[nodiscard]] Value title(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("title", arguments);
  const std::string text = to_text(subject, budget);
  budget.prepare_text(4 * text.size());
  budget.spend_characters(2 * text.size());
  const auto is_separator = [](char32_t c) {
    return is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
  };
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const CodePoint first = decode_at(text, at);
    size_t end = at + first.bytes;
    if (is_separator(first.value)) {
      out += text.substr(at, first.bytes);
    } else {
      while (end < text.size() && !is_separator(decode_at(text, end).value))
        end += decode_at(text, end).bytes;
      out += to_upper(text.substr(at, first.bytes));
      out += to_lower(text.substr(at + first.bytes, end - at - first.bytes));
    }
    at = end;
  }
  return make_text(budget, std::move(out));
}

[[nodiscard]] const std::string& require_text(const Value& subject, std::string_view filter) {
  require_defined(subject);
  if (!subject.is_text()) raise(filter, " needs a string, not '", type_name(subject), "'");
  return subject.as_text();
}

[[nodiscard]] Value indent(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("indent", std::move(arguments), {"width", "first", "blank"}, 0);
  const std::string text = require_text(subject, "indent") + "\n";
  std::string margin(4, ' ');
  if (parameters.has(0) && parameters.get(0)->is_text()) {
    margin = parameters.text(0);
  } else {
    const int64_t width = std::max<int64_t>(parameters.index_or(0, 4), 0);
    budget.prepare_text(static_cast<size_t>(width));
    margin.assign(static_cast<size_t>(width), ' ');
  }
  const bool blank = parameters.truthy_or(2, false, budget);
  BoundedText out(budget);
  budget.prepare_text(2 * text.size());
  bool is_first = true;
  for (std::string_view rest = text; !rest.empty();) {
    budget.spend();
    const std::string_view line = take_line(rest);
    if (!is_first) out.append('\n');
    const bool wanted = is_first ? parameters.truthy_or(1, false, budget) : blank || !line.empty();
    if (wanted) out.append(margin);
    out.append(line);
    is_first = false;
  }
  return make_text_like(subject, budget, out.take());
}

[[nodiscard]] Value truncate(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("truncate", std::move(arguments), {"length", "killwords", "end", "leeway"}, 0);
  const int64_t length = parameters.index_or(0, 255);
  const std::string_view end = parameters.text_or(2, "...");
  const int64_t leeway = parameters.get_unless_none(3) ? parameters.index(3) : 5;
  const auto end_length = static_cast<int64_t>(count_code_points(end));
  if (length < end_length) raise("expected length >= ", end_length, ", got ", length);
  if (leeway < 0) raise("expected leeway >= 0, got ", leeway);
  const std::optional<size_t> count =
      length_of(subject, budget);  // of anything, if it is short enough to stay
  if (!count) raise("object of type '", type_name(subject), "' has no len()");
  const auto text_length = static_cast<int64_t>(*count);
  if (text_length <= length || text_length - length <= leeway) return subject;
  const std::string& text = require_text(subject, "truncate");
  budget.prepare_text(text.size());
  std::string kept = text.substr(0, byte_offset(text, static_cast<size_t>(length - end_length)));
  if (!parameters.truthy_or(1, false, budget)) kept = kept.substr(0, kept.rfind(' '));
  return add(make_text_like(subject, budget, std::move(kept)), make_text(budget, std::string(end)), budget);
}

[[nodiscard]] Value word_count(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("wordcount", arguments);
  const std::string text = to_text(subject, budget);
  budget.spend_characters(text.size());
  Integer words = 0;
  bool inside = false;
  for (size_t at = 0; at < text.size();) {
    const CodePoint character = decode_at(text, at);
    const bool is_word = character.value == '_' || is_alphanumeric(character.value);
    words += is_word && !inside ? 1 : 0;
    inside = is_word;
    at += character.bytes;
  }
  return Value::integer(words);
}

// Each line by itself.
[[nodiscard]] Value word_wrap(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("wordwrap", std::move(arguments),
                              {"width", "break_long_words", "wrapstring", "break_on_hyphens"}, 0);
  const int64_t width = parameters.index_or(0, 79);
  const std::string separator = parameters.get_unless_none(2) ? parameters.text(2) : "\n";
  const Value at_hyphens = parameters.value_or(3, Value::boolean(true));
  WrapStyle style;
  style.breaks_long_words = parameters.truthy_or(1, true, budget);
  style.splits_at_hyphens = at_hyphens.is(Kind::boolean) && at_hyphens.as_boolean();  // Python: `is True`
  style.breaks_after_hyphen = is_truthy(at_hyphens, budget);
  BoundedText out(budget);
  bool is_first = true;
  for (std::string_view rest = require_text(subject, "wordwrap"); !rest.empty();) {
    if (width <= 0) raise("invalid width ", width, " (must be > 0)");
    style.width = static_cast<size_t>(width);
    const std::vector<std::string> lines = wrap_line(take_line(rest), style, budget);
    if (!is_first) out.append(separator);
    is_first = false;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) out.append(separator);
      out.append(lines[i]);
    }
  }
  return make_text(budget, out.take());
}

constexpr NamedFilter kTextFilters[] = {
    {"capitalize", capitalized}, {"center", center},   {"format", format},        {"indent", indent},
    {"lower", lowered},          {"replace", replace}, {"title", title},          {"trim", trim},
    {"truncate", truncate},      {"upper", raised},    {"wordcount", word_count}, {"wordwrap", word_wrap},
};

}  // namespace

std::span<const NamedFilter> text_filters() {
  return kTextFilters;
}

}  // namespace linnet::jinja
