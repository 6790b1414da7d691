#include "text/jinja/markup.h"

#include <algorithm>

#include "text/jinja/print.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// From the place on: what comes into the text, not what is looked for in it.
void escape_texts(Arguments& arguments, size_t from, Budget& budget) {
  for (size_t i = from; i < arguments.positional.size(); ++i) {
    if (arguments.positional[i].is_text())
      arguments.positional[i] = escape_value(arguments.positional[i], budget);
  }
  for (auto& [name, value] : arguments.keywords) {
    if (value.is_text()) value = escape_value(value, budget);
  }
}

[[nodiscard]] Value marked(const Value& value, Budget& budget) {
  if (value.is_text()) return make_markup(budget, value.as_text());
  if (!value.is_sequence()) return value;
  Values items;
  for (const Value& item : value.items()) items.push_back(marked(item, budget));
  return value.is(Kind::list) ? make_list(budget, std::move(items)) : make_tuple(budget, std::move(items));
}

}  // namespace

std::string escape_html(std::string_view text, Budget& budget) {
  BoundedText out(budget);
  size_t plain = 0;  // begin of what needs no escape
  for (size_t at = text.find_first_of("&<>'\""); at != std::string_view::npos;
       at = text.find_first_of("&<>'\"", plain)) {
    out.append(text.substr(plain, at - plain));
    switch (text[at]) {
      case '&':
        out.append("&amp;");
        break;
      case '<':
        out.append("&lt;");
        break;
      case '>':
        out.append("&gt;");
        break;
      case '\'':
        out.append("&#39;");
        break;
      default:
        out.append("&#34;");
    }
    plain = at + 1;
  }
  out.append(text.substr(plain));
  return out.take();
}

Value escape_value(const Value& value, Budget& budget) {
  if (value.is_markup()) return value;
  return make_markup(budget, escape_html(to_text(value, budget), budget));
}

Value call_text_method(std::string_view name, Method method, const Value& self, Arguments arguments,
                       Budget& budget) {
  if (!self.is_markup()) return method(self, std::move(arguments), budget);
  if (is_one_of(name, {"center", "ljust", "replace", "rjust"})) escape_texts(arguments, 1, budget);
  if (name == "format") escape_texts(arguments, 0, budget);
  if (name == "join" && !arguments.positional.empty()) {
    Values items = to_items(arguments.positional[0], budget);
    for (Value& item : items) item = escape_value(item, budget);
    arguments.positional[0] = make_list(budget, std::move(items));
  }
  return marked(method(self, std::move(arguments), budget), budget);
}

}  // namespace linnet::jinja
