// Filters for HTML pages and addresses. Nothing is escaped automatically in a chat template, so what they
// return is plain text unless it is marked by being asked for.
#include <algorithm>
#include <set>

#include "text/jinja/dict.h"
#include "text/jinja/filter_tables.h"
#include "text/jinja/html_text.h"
#include "text/jinja/markup.h"
#include "text/jinja/parameters.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/unicode.h"
#include "text/jinja/urlize.h"
#include "text/jinja/web_address.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] Value escape(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("escape", arguments);
  return escape_value(subject, budget);
}

[[nodiscard]] Value force_escape(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("forceescape", arguments);
  return make_markup(budget, escape_html(to_text(subject, budget), budget));
}

[[nodiscard]] Value safe(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("safe", arguments);
  return subject.is_markup() ? subject : make_markup(budget, to_text(subject, budget));
}

[[nodiscard]] Value without_tags(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("striptags", arguments);
  return make_text(budget, strip_tags(to_text(subject, budget), budget));
}

[[nodiscard]] Value xml_attributes(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("xmlattr", std::move(arguments), {"autospace"}, 0);
  const bool with_space = parameters.truthy_or(0, true, budget);
  require_defined(subject);
  if (!subject.is_dict()) raise("'", type_name(subject), "' object has no attribute 'items'");
  BoundedText out(budget);
  for (const auto& [key, value] : subject.as_dict().entries()) {
    budget.spend();
    if (value.is_none() || value.is_undefined()) continue;
    require_defined(key);
    if (!key.is_text()) raise("expected string or bytes-like object, got '", type_name(key), "'");
    budget.spend_bytes(key.as_text().size());
    if (key.as_text().find_first_of(" \t\n\r\f\v/>=") != std::string::npos)
      raise("Invalid character in attribute name: ", to_repr(key, budget));
    if (with_space || !out.text().empty()) out.append(' ');
    out.append(escape_value(key, budget).as_text());
    out.append("=\"");
    out.append(escape_value(value, budget).as_text());
    out.append('"');
  }
  return make_text(budget, out.take());
}

// The words of rel, sorted and each once, with those that are always there.
[[nodiscard]] std::string rel_attribute(const Value* given, bool no_follow) {
  std::set<std::string, std::less<>> words = {"noopener"};
  if (no_follow) words.insert("nofollow");
  if (given) {
    for (std::string_view rest = given->as_text(); !rest.empty();) {
      rest = strip_space(rest, true, false);
      size_t end = 0;
      while (end < rest.size() && !is_space(decode_at(rest, end).value)) end += decode_at(rest, end).bytes;
      if (end > 0) words.emplace(rest.substr(0, end));
      rest.remove_prefix(end);
    }
  }
  std::string out;
  for (const std::string& word : words) out += concat(out.empty() ? "" : " ", word);
  return out;
}

[[nodiscard]] Value with_links(const Value& subject, Arguments arguments, Budget& budget) {
  const Parameters parameters("urlize", std::move(arguments),
                              {"trim_url_limit", "nofollow", "target", "rel", "extra_schemes"}, 0);
  LinkStyle style;
  if (parameters.get_unless_none(0)) style.most_characters = parameters.index(0);
  const Value* rel = parameters.get(3) && is_truthy(*parameters.get(3), budget) ? parameters.get(3) : nullptr;
  if (rel) budget.spend_characters(8 * parameters.text(3).size());
  style.rel = rel_attribute(rel, parameters.truthy_or(1, false, budget));
  if (const Value* target = parameters.get_unless_none(2)) style.target = to_text(*target, budget);
  if (const Value* schemes = parameters.get_unless_none(4)) {
    for (const Value& scheme : to_items(*schemes, budget)) {
      require_defined(scheme);
      if (!scheme.is_text()) raise("expected string or bytes-like object, got '", type_name(scheme), "'");
      budget.spend_characters(scheme.as_text().size());
      if (!is_scheme(to_code_points(scheme.as_text())))
        raise(to_repr(scheme, budget), " is not a valid URI scheme prefix.");
      style.schemes.push_back(scheme.as_text());
    }
  }
  return make_text(budget, urlize(escape_value(subject, budget).as_text(), style, budget));
}

void append_url_quoted(BoundedText& out, std::string_view text, bool in_query) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte < 0x80 && std::isalnum(byte) != 0) || c == '_' || c == '.' || c == '-' ||
                       c == '~' || (c == '/' && !in_query);
    if (plain) {
      out.append(c);
    } else if (c == ' ' && in_query) {
      out.append('+');
    } else {
      const char quoted[] = {'%', kHex[byte >> 4], kHex[byte & 15]};
      out.append(std::string_view(quoted, 3));
    }
  }
}

[[nodiscard]] Value url_encode(const Value& subject, Arguments arguments, Budget& budget) {
  require_no_arguments("urlencode", arguments);
  BoundedText out(budget);
  const auto append_pair = [&](const Value& key, const Value& value) {
    if (!out.text().empty()) out.append('&');
    append_url_quoted(out, to_text(key, budget), true);
    out.append('=');
    append_url_quoted(out, to_text(value, budget), true);
  };
  if (subject.is_dict()) {
    for (const Dict::Entry& entry : subject.as_dict().entries()) append_pair(entry.key, entry.value);
  } else if (const auto elements = subject.is_text() ? nullptr : try_iterate(subject, budget)) {
    while (const std::optional<Value> element = elements->next()) {
      const Values pair = to_items(*element, budget);
      if (pair.size() != 2) raise("urlencode needs pairs");
      append_pair(pair[0], pair[1]);
    }
  } else {
    append_url_quoted(out, to_text(subject, budget), false);
  }
  return make_text(budget, out.take());
}

constexpr NamedFilter kHtmlFilters[] = {
    {"e", escape},          {"escape", escape},          {"forceescape", force_escape},
    {"safe", safe},         {"striptags", without_tags}, {"urlencode", url_encode},
    {"urlize", with_links}, {"xmlattr", xml_attributes},
};

}  // namespace

std::span<const NamedFilter> html_filters() {
  return kHtmlFilters;
}

}  // namespace linnet::jinja
