#include "text/jinja/tojson.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text/jinja/dict.h"
#include "text/jinja/numbers.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] std::string float_to_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return float_to_text(value);
}

class JsonWriter {
 public:
  JsonWriter(const JsonStyle& style, Budget& budget) : style_(style), out_(budget) {}

  [[nodiscard]] std::string run(const Value& value) {
    write(value);
    return out_.take();
  }

 private:
  void write(const Value& value) {
    out_.budget().spend();
    switch (value.kind()) {
      case Kind::none:
        return out_.append("null");
      case Kind::boolean:
        return out_.append(value.as_boolean() ? "true" : "false");
      case Kind::integer:
        return out_.append(integer_to_text(value.as_integer()));
      case Kind::floating:
        return out_.append(float_to_json(value.as_floating()));
      case Kind::text:
        return write_text(value.as_text());
      case Kind::list:
      case Kind::tuple:
        return write_list(value.items());
      case Kind::dict:
        return write_dict(value.as_dict());
      case Kind::undefined:
      case Kind::object:
        raise("Object of type ", type_name(value), " is not JSON serializable");
    }
  }

  void write_list(const Values& items) {
    if (items.empty()) return out_.append("[]");
    out_.append('[');
    ++level_;
    for (size_t i = 0; i < items.size(); ++i) {
      separate(i > 0);
      write(items[i]);
    }
    --level_;
    separate(false);
    out_.append(']');
  }

  void write_dict(const Dict& dict) {
    if (dict.size() == 0) return out_.append("{}");
    std::vector<const Dict::Entry*> entries;
    for (const Dict::Entry& entry : dict.entries()) entries.push_back(&entry);
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(),
                       [&](const auto* a, const auto* b) { return less(a->key, b->key, out_.budget()); });
    }
    out_.append('{');
    ++level_;
    for (size_t i = 0; i < entries.size(); ++i) {
      separate(i > 0);
      write_key(entries[i]->key);
      out_.append(style_.key_separator);
      write(entries[i]->value);
    }
    --level_;
    separate(false);
    out_.append('}');
  }

  // What stands before an item, or before the closing bracket.
  void separate(bool between_items) {
    if (between_items) out_.append(style_.item_separator);
    if (!style_.indent) return;
    out_.append('\n');
    for (size_t i = 0; i < level_; ++i) out_.append(*style_.indent);
  }

  void write_key(const Value& key) {
    switch (key.kind()) {
      case Kind::text:
        return write_text(key.as_text());
      case Kind::none:
        return out_.append("\"null\"");
      case Kind::boolean:
        return out_.append(key.as_boolean() ? "\"true\"" : "\"false\"");
      case Kind::integer:
        return out_.append(concat('"', integer_to_text(key.as_integer()), '"'));
      case Kind::floating:
        return out_.append(concat('"', float_to_json(key.as_floating()), '"'));
      default:
        raise("keys must be str, int, float, bool or None, not ", type_name(key));
    }
  }

  void write_text(std::string_view text) {
    out_.budget().spend_characters(text.size());
    out_.append('"');
    size_t plain = 0;  // begin of what needs no escape
    for (size_t at = 0; at < text.size();) {
      const CodePoint character = decode_at(text, at);
      const char32_t c = character.value;
      if (c < 0x20 || c == '"' || c == '\\' || (style_.only_ascii && c > 0x7E)) {
        out_.append(text.substr(plain, at - plain));
        write_escape(c);
        plain = at + character.bytes;
      }
      at += character.bytes;
    }
    out_.append(text.substr(plain));
    out_.append('"');
  }

  void write_escape(char32_t c) {
    constexpr std::string_view kNamed = "\"\\\n\r\t\b\f";
    constexpr std::string_view kLetters = "\"\\nrtbf";
    const size_t named = c < 0x80 ? kNamed.find(static_cast<char>(c)) : std::string_view::npos;
    if (named != std::string_view::npos) {
      out_.append('\\');
      out_.append(kLetters[named]);
    } else if (c > 0xFFFF) {
      write_unit(0xD800 + ((c - 0x10000) >> 10));
      write_unit(0xDC00 + ((c - 0x10000) & 0x3FF));
    } else {
      write_unit(c);
    }
  }

  void write_unit(char32_t unit) {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(unit & 0xFFFF));
    out_.append(std::string_view(buffer, 6));
  }

  const JsonStyle& style_;
  BoundedText out_;
  size_t level_ = 0;
};

}  // namespace

std::string to_json(const Value& value, const JsonStyle& style, Budget& budget) {
  return JsonWriter(style, budget).run(value);
}

}  // namespace linnet::jinja
