// Methods of str that look for a text in it: find(), count(), replace(), startswith(), …
#include <algorithm>

#include "text/jinja/methods.h"
#include "text/jinja/parameters.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/text_search.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

// The part of a text between two positions as Python's methods take them; nothing if they do not meet.
struct Window {
  std::string_view text;
  size_t first_character;
};

[[nodiscard]] std::optional<Window> window_of(std::string_view text, const Parameters& parameters,
                                              size_t start_place, Budget& budget) {
  budget.spend_bytes(text.size());
  const auto bound = [&](size_t place, int64_t otherwise) {
    return parameters.get_unless_none(place) ? parameters.index(place) : otherwise;
  };
  int64_t start = bound(start_place, 0);
  int64_t end = bound(start_place + 1, INT64_MAX);
  if (start == 0 && end == INT64_MAX) return Window{text, 0};
  budget.spend_characters(2 * text.size());
  const auto length = static_cast<int64_t>(count_code_points(text));
  end = std::min(end < 0 ? std::max<int64_t>(end + length, 0) : end, length);
  if (start < 0) start = std::max<int64_t>(start + length, 0);
  if (start > end) return std::nullopt;
  const size_t begin_byte = byte_offset(text, static_cast<size_t>(start));
  const std::string_view rest = text.substr(begin_byte);
  return Window{rest.substr(0, byte_offset(rest, static_cast<size_t>(end - start))),
                static_cast<size_t>(start)};
}

// The position in characters of the first or last occurrence; −1 if there is none.
[[nodiscard]] Integer position(const Value& self, Arguments arguments, Budget& budget, bool last) {
  const Parameters parameters("find", std::move(arguments), {"/sub", "/start", "/end"}, 1);
  const std::string& needle = parameters.text(0);
  const std::optional<Window> window = window_of(self.as_text(), parameters, 1, budget);
  if (!window) return -1;
  budget.spend_bytes(window->text.size() + needle.size());
  const size_t found = last ? find_last_bytes(window->text, needle) : find_bytes(window->text, needle, 0);
  if (found == std::string_view::npos) return -1;
  budget.spend_characters(found);
  const Integer before = window->first_character;
  return before + static_cast<Integer>(count_code_points(window->text.substr(0, found)));
}

template <bool last>
[[nodiscard]] Value find(const Value& self, Arguments arguments, Budget& budget) {
  return Value::integer(position(self, std::move(arguments), budget, last));
}

template <bool last>
[[nodiscard]] Value index(const Value& self, Arguments arguments, Budget& budget) {
  const Integer found = position(self, std::move(arguments), budget, last);
  if (found < 0) raise("substring not found");
  return Value::integer(found);
}

[[nodiscard]] Value count(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("count", std::move(arguments), {"/sub", "/start", "/end"}, 1);
  const std::string& needle = parameters.text(0);
  const std::optional<Window> window = window_of(self.as_text(), parameters, 1, budget);
  if (!window) return Value::integer(0);
  if (needle.empty()) {
    budget.spend_characters(window->text.size());
    return Value::integer(static_cast<Integer>(count_code_points(window->text)) + 1);
  }
  Integer occurrences = 0;
  for (size_t at = find_bytes(window->text, needle, 0); at != std::string_view::npos;
       at = find_bytes(window->text, needle, at + needle.size())) {
    budget.spend();
    ++occurrences;
  }
  return Value::integer(occurrences);
}

template <bool at_end>
[[nodiscard]] Value has_affix(const Value& self, Arguments arguments, Budget& budget) {
  constexpr std::string_view kName = at_end ? "endswith" : "startswith";
  const Parameters parameters(kName, std::move(arguments), {"/prefix", "/start", "/end"}, 1);
  const std::optional<Window> window = window_of(self.as_text(), parameters, 1, budget);
  const auto matches = [&](const Value& affix) {
    budget.spend();
    require_defined(affix);
    if (!affix.is_text()) {
      raise(kName, " first arg must be str or a tuple of str, not ", type_name(affix));
    }
    if (!window) return false;
    return at_end ? window->text.ends_with(affix.as_text()) : window->text.starts_with(affix.as_text());
  };
  const Value& affix = *parameters.get(0);
  if (!affix.is(Kind::tuple)) return Value::boolean(matches(affix));
  return Value::boolean(std::any_of(affix.items().begin(), affix.items().end(), matches));
}

[[nodiscard]] Value replace_in_text(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("replace", std::move(arguments), {"/old", "/new", "/count"}, 2);
  const std::string& text = self.as_text();
  const std::string& old_text = parameters.text(0);
  const std::string& new_text = parameters.text(1);
  const int64_t limit = parameters.index_or(2, -1);
  budget.spend_bytes(text.size());
  BoundedText out(budget);
  size_t at = 0;
  for (int64_t done = 0; limit < 0 || done < limit; ++done) {
    const size_t found = find_bytes(text, old_text, at);
    if (found == std::string_view::npos) break;
    budget.spend();
    if (old_text.empty()) {  // before every character and at the end
      out.append(new_text);
      if (at == text.size()) return make_text(budget, out.take());
      const size_t character = decode_at(text, at).bytes;
      out.append(std::string_view(text).substr(at, character));
      at += character;
      continue;
    }
    out.append(std::string_view(text).substr(at, found - at));
    out.append(new_text);
    at = found + old_text.size();
  }
  out.append(std::string_view(text).substr(at));
  return make_text(budget, out.take());
}

template <bool at_end>
[[nodiscard]] Value remove_affix(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters(at_end ? "removesuffix" : "removeprefix", std::move(arguments), {"/affix"}, 1);
  std::string_view text = self.as_text();
  const std::string& affix = parameters.text(0);
  budget.prepare_text(text.size());
  if (at_end && text.ends_with(affix)) text.remove_suffix(affix.size());
  if (!at_end && text.starts_with(affix)) text.remove_prefix(affix.size());
  return make_text(budget, std::string(text));
}

constexpr NamedMethod kSearchMethods[] = {
    {"count", count},
    {"endswith", has_affix<true>},
    {"find", find<false>},
    {"index", index<false>},
    {"removeprefix", remove_affix<false>},
    {"removesuffix", remove_affix<true>},
    {"replace", replace_in_text},
    {"rfind", find<true>},
    {"rindex", index<true>},
    {"startswith", has_affix<false>},
};

}  // namespace

Method find_search_method(std::string_view name) {
  return find_in(kSearchMethods, name);
}

}  // namespace linnet::jinja
