#include "text/jinja/print.h"

#include <cstdio>

#include "text/jinja/dict.h"
#include "text/jinja/numbers.h"
#include "text/jinja/object.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

void append_escaped(BoundedText& out, char32_t c) {
  char buffer[16];
  const auto code = static_cast<unsigned>(c);
  const char* format = code <= 0xFF ? "\\x%02x" : code <= 0xFFFF ? "\\u%04x" : "\\U%08x";
  const int length = std::snprintf(buffer, sizeof buffer, format, code);
  out.append(std::string_view(buffer, static_cast<size_t>(length)));
}

void append_items(BoundedText& out, const Values& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out.append(", ");
    append_repr(out, items[i]);
  }
}

void append_dict(BoundedText& out, const Dict& dict) {
  out.append('{');
  bool first = true;
  for (const Dict::Entry& entry : dict.entries()) {
    if (!first) out.append(", ");
    first = false;
    append_repr(out, entry.key);
    out.append(": ");
    append_repr(out, entry.value);
  }
  out.append('}');
}

}  // namespace

void append_quoted(BoundedText& out, std::string_view text) {
  const bool single = text.find('\'') == std::string_view::npos || text.find('"') != std::string_view::npos;
  const char quote = single ? '\'' : '"';
  out.budget().spend_characters(text.size());
  out.append(quote);
  for (size_t at = 0; at < text.size();) {
    const CodePoint character = decode_at(text, at);
    const char32_t c = character.value;
    if (c == static_cast<unsigned char>(quote) || c == '\\') {
      out.append('\\');
      out.append(static_cast<char>(c));
    } else if (c == '\n') {
      out.append("\\n");
    } else if (c == '\r') {
      out.append("\\r");
    } else if (c == '\t') {
      out.append("\\t");
    } else if (is_printable(c)) {
      out.append(text.substr(at, character.bytes));
    } else {
      append_escaped(out, c);
    }
    at += character.bytes;
  }
  out.append(quote);
}

void append_repr(BoundedText& out, const Value& value) {
  out.budget().spend();
  switch (value.kind()) {
    case Kind::undefined:
      return out.append("Undefined");
    case Kind::none:
      return out.append("None");
    case Kind::boolean:
      return out.append(value.as_boolean() ? "True" : "False");
    case Kind::integer:
      return out.append(integer_to_text(value.as_integer()));
    case Kind::floating:
      return out.append(float_to_text(value.as_floating()));
    case Kind::text:
      if (!value.is_markup()) return append_quoted(out, value.as_text());
      out.append("Markup(");
      append_quoted(out, value.as_text());
      return out.append(')');
    case Kind::dict:
      return append_dict(out, value.as_dict());
    case Kind::list:
      out.append('[');
      append_items(out, value.items());
      return out.append(']');
    case Kind::tuple:
      out.append('(');
      append_items(out, value.items());
      return out.append(value.items().size() == 1 ? ",)" : ")");
    case Kind::object: {
      const DepthGuard guard(out.budget());  // a namespace may hold itself
      return out.append(value.as_object()->print(out.budget()));
    }
  }
}

void append_text(BoundedText& out, const Value& value) {
  if (value.is_text()) {
    out.append(value.as_text());
  } else if (!value.is_undefined()) {
    append_repr(out, value);
  }
}

std::string to_text(const Value& value, Budget& budget) {
  BoundedText out(budget);
  append_text(out, value);
  return out.take();
}

std::string to_repr(const Value& value, Budget& budget) {
  BoundedText out(budget);
  append_repr(out, value);
  return out.take();
}

}  // namespace linnet::jinja
