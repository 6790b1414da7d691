// Methods of str about letters: upper(), isalpha(), title(), …
#include "text/jinja/methods.h"
#include "text/jinja/parameters.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

using Conversion = std::string (*)(std::string_view);
using CharacterTest = bool (*)(char32_t);

template <Conversion convert>
[[nodiscard]] Value converted(const Value& self, Arguments arguments, Budget& budget) {
  require_no_arguments("str method", arguments);
  // A character may become three, and each passes through four bytes of UTF-32.
  budget.prepare_text(4 * self.as_text().size());
  budget.spend_characters(2 * self.as_text().size());
  return make_text(budget, convert(self.as_text()));
}

// True iff there is a character and all pass.
template <CharacterTest test>
[[nodiscard]] Value all_are(const Value& self, Arguments arguments, Budget& budget) {
  require_no_arguments("str method", arguments);
  const std::string& text = self.as_text();
  budget.spend_characters(text.size());
  for (size_t at = 0; at < text.size();) {
    const CodePoint character = decode_at(text, at);
    if (!test(character.value)) return Value::boolean(false);
    at += character.bytes;
  }
  return Value::boolean(!text.empty());
}

[[nodiscard]] bool is_ascii(char32_t c) {
  return c < 0x80;
}

[[nodiscard]] Value is_ascii_text(const Value& self, Arguments arguments, Budget& budget) {
  if (self.as_text().empty()) return Value::boolean(true);
  return all_are<is_ascii>(self, std::move(arguments), budget);
}

[[nodiscard]] Value is_printable_text(const Value& self, Arguments arguments, Budget& budget) {
  if (self.as_text().empty()) return Value::boolean(true);
  return all_are<is_printable>(self, std::move(arguments), budget);
}

// True iff there is a cased character and none of the other case.
template <CharacterTest wanted, CharacterTest unwanted>
[[nodiscard]] Value has_only_case(const Value& self, Arguments arguments, Budget& budget) {
  require_no_arguments("str method", arguments);
  const std::string& text = self.as_text();
  budget.spend_characters(text.size());
  bool found = false;
  for (size_t at = 0; at < text.size();) {
    const CodePoint character = decode_at(text, at);
    if (unwanted(character.value) || is_titlecase(character.value)) return Value::boolean(false);
    found |= wanted(character.value);
    at += character.bytes;
  }
  return Value::boolean(found);
}

[[nodiscard]] Value is_title_text(const Value& self, Arguments arguments, Budget& budget) {
  require_no_arguments("str method", arguments);
  const std::string& text = self.as_text();
  budget.spend_characters(text.size());
  bool found = false;
  bool inside_word = false;
  for (size_t at = 0; at < text.size();) {
    const CodePoint character = decode_at(text, at);
    const bool starts_word = is_uppercase(character.value) || is_titlecase(character.value);
    const bool goes_on = is_lowercase(character.value);
    if ((starts_word && inside_word) || (goes_on && !inside_word)) return Value::boolean(false);
    inside_word = starts_word || goes_on;
    found |= inside_word;
    at += character.bytes;
  }
  return Value::boolean(found);
}

constexpr NamedMethod kCaseMethods[] = {
    {"capitalize", converted<capitalize>},
    {"isalnum", all_are<is_alphanumeric>},
    {"isalpha", all_are<is_alphabetic>},
    {"isascii", is_ascii_text},
    {"isdecimal", all_are<is_decimal>},
    {"isdigit", all_are<is_digit>},
    {"islower", has_only_case<is_lowercase, is_uppercase>},
    {"isnumeric", all_are<is_numeric>},
    {"isprintable", is_printable_text},
    {"isspace", all_are<is_space>},
    {"istitle", is_title_text},
    {"isupper", has_only_case<is_uppercase, is_lowercase>},
    {"lower", converted<to_lower>},
    {"swapcase", converted<swap_case>},
    {"title", converted<to_title>},
    {"upper", converted<to_upper>},
};

}  // namespace

Method find_case_method(std::string_view name) {
  return find_in(kCaseMethods, name);
}

}  // namespace linnet::jinja
