#include "text/jinja/format_spec.h"

#include <charconv>
#include <cmath>

#include "text/jinja/numbers.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

constexpr size_t kMaxWidth = 1'000'000'000;  // the budget refuses far earlier
constexpr size_t kMaxPrecision = 1000;       // no float has more digits than 767 that differ from zero

[[nodiscard]] bool is_align(char32_t c) {
  return c == '<' || c == '>' || c == '^' || c == '=';
}

// Fills to the width. prefix_length: how much of text is sign and 0x, which "=" keeps on the left.
[[nodiscard]] std::string pad(std::string_view text, size_t prefix_length, char default_align,
                              const FormatSpec& spec, Budget& budget) {
  const size_t length = count_code_points(text);
  const size_t missing = spec.width > length ? spec.width - length : 0;
  const char align = spec.align ? spec.align : default_align;
  const size_t left = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  budget.prepare_text(text.size() + 4 * missing);
  std::string out;
  const auto fill = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) append_utf8(spec.fill, out);
  };
  if (align == '=') {
    out += text.substr(0, prefix_length);
    fill(missing);
    out += text.substr(prefix_length);
    return out;
  }
  fill(left);
  out += text;
  fill(missing - left);
  return out;
}

[[nodiscard]] std::string group_digits(std::string digits, char separator, size_t every) {
  if (!separator) return digits;
  for (size_t at = digits.size(); at > every;) digits.insert(at -= every, 1, separator);
  return digits;
}

[[nodiscard]] std::string_view sign_of(bool negative, const FormatSpec& spec) {
  if (negative) return "-";
  return spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
}

void uppercase(std::string& text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

// Digits of a non-negative number in the notation of type: f, e, g or 0 (as repr, with a precision as g).
[[nodiscard]] std::string float_digits(double value, const FormatSpec& spec) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return "inf";
  if (!spec.type && !spec.precision) return float_to_text(value);
  const char type = static_cast<char>(std::tolower(static_cast<unsigned char>(spec.type ? spec.type : 'g')));
  size_t precision = spec.precision.value_or(6);
  if (type == 'g' && precision == 0) precision = 1;
  const auto format = type == 'e'   ? std::chars_format::scientific
                      : type == 'g' ? std::chars_format::general
                                    : std::chars_format::fixed;
  char buffer[kMaxPrecision + 400];
  const auto result =
      std::to_chars(buffer, buffer + sizeof buffer, value, format, static_cast<int>(precision));
  std::string digits(buffer, result.ptr);
  const bool plain = digits.find_first_of(".e") == std::string::npos;
  if (plain && !spec.type) digits += ".0";
  if (plain && spec.type && spec.alternate) digits += '.';
  return digits;
}

}  // namespace

std::optional<size_t> take_number(std::string_view text, size_t& at) {
  const size_t begin = at;
  size_t value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    value = value * 10 + static_cast<size_t>(text[at] - '0');
    if (value > kMaxWidth) raise("Too many decimal digits in format string");
  }
  return at == begin ? std::nullopt : std::optional(value);
}

FormatSpec parse_format_spec(std::string_view text) {
  FormatSpec spec;
  size_t at = 0;
  const auto take = [&](char c) {
    const bool present = at < text.size() && text[at] == c;
    at += present ? 1 : 0;
    return present;
  };
  if (!text.empty()) {
    const CodePoint first = decode_at(text, 0);
    if (first.bytes < text.size() && is_align(static_cast<unsigned char>(text[first.bytes]))) {
      spec.fill = first.value;
      spec.align = text[first.bytes];
      at = first.bytes + 1;
    } else if (is_align(first.value)) {
      spec.align = text[at++];
    }
  }
  for (const char sign : {'+', '-', ' '}) {
    if (take(sign)) {
      spec.sign = sign;
      break;
    }
  }
  spec.alternate = take('#');
  if (take('0') && !spec.align) {
    spec.fill = '0';
    spec.align = '=';
  }
  spec.width = take_number(text, at).value_or(0);
  if (take(',')) spec.grouping = ',';
  if (take('_')) spec.grouping = '_';
  if (take('.')) {
    spec.precision = take_number(text, at);
    if (!spec.precision) raise("Format specifier missing precision");
  }
  if (at < text.size()) spec.type = text[at++];
  if (at != text.size()) raise("Invalid format specifier");
  return spec;
}

std::string format_integer(Integer value, const FormatSpec& spec, Budget& budget) {
  const char type = spec.type ? spec.type : 'd';
  if (type == 'c') {
    std::string character;
    if (value < 0 || value > 0x10FFFF) raise("%c arg not in range(0x110000)");
    if (value >= 0xD800 && value <= 0xDFFF) raise("half of a surrogate pair");
    append_utf8(static_cast<char32_t>(value), character);
    return pad(character, 0, '<', spec, budget);
  }
  if (type == 'e' || type == 'f' || type == 'g' || type == 'E' || type == 'F' || type == 'G' || type == '%') {
    return format_float(static_cast<double>(value), spec, budget);
  }
  const unsigned base = type == 'x' || type == 'X' ? 16 : type == 'o' ? 8 : type == 'b' ? 2 : 10;
  if (base == 10 && type != 'd' && type != 'n') {
    raise("Unknown format code '", type, "' for object of type 'int'");
  }
  if (spec.precision) raise("Precision not allowed in integer format specifier");
  std::string digits = integer_to_text(value, base);
  if (value < 0) digits.erase(0, 1);
  digits = group_digits(std::move(digits), spec.grouping, base == 10 ? 3 : 4);
  std::string prefix(sign_of(value < 0, spec));
  if (spec.alternate && base != 10) prefix += base == 16 ? "0x" : base == 8 ? "0o" : "0b";
  std::string out = prefix + digits;
  if (type == 'X') uppercase(out);
  return pad(out, prefix.size(), '>', spec, budget);
}

std::string format_float(double value, const FormatSpec& spec, Budget& budget) {
  constexpr std::string_view kTypes = "eEfFgG%";
  if (spec.type && kTypes.find(spec.type) == std::string_view::npos) {
    raise("Unknown format code '", spec.type, "' for object of type 'float'");
  }
  if (spec.precision.value_or(0) > kMaxPrecision) raise("precision too big");
  FormatSpec digits_spec = spec;
  const bool percent = spec.type == '%';
  if (percent) {
    digits_spec.type = 'f';
    value *= 100;
  }
  const bool negative = std::signbit(value) && !std::isnan(value);
  std::string digits = float_digits(std::fabs(value), digits_spec);
  const size_t whole = std::min(digits.find_first_not_of("0123456789"), digits.size());
  digits = group_digits(digits.substr(0, whole), spec.grouping, 3) + digits.substr(whole);
  const std::string sign(sign_of(negative, spec));
  std::string out = sign + digits + (percent ? "%" : "");
  if (spec.type == 'E' || spec.type == 'F' || spec.type == 'G') uppercase(out);
  return pad(out, sign.size(), '>', spec, budget);
}

std::string format_text(std::string_view text, const FormatSpec& spec, Budget& budget) {
  if (spec.type && spec.type != 's') raise("Unknown format code '", spec.type, "' for object of type 'str'");
  if (spec.align == '=' && spec.fill != '0') raise("'=' alignment not allowed in string format specifier");
  budget.spend_bytes(text.size());
  if (spec.precision) text = text.substr(0, byte_offset(text, *spec.precision));
  FormatSpec padded = spec;
  if (padded.align == '=') padded.align = '<';  // "05": zeros, on the right
  return pad(text, 0, '<', padded, budget);
}

std::string format_value(const Value& value, const FormatSpec& spec, Budget& budget) {
  if (const std::optional<Integer> integer = integer_of(value)) return format_integer(*integer, spec, budget);
  if (value.is(Kind::floating)) return format_float(value.as_floating(), spec, budget);
  if (value.is_text()) return format_text(value.as_text(), spec, budget);
  raise("unsupported format string passed to ", type_name(value), ".__format__");
}

}  // namespace linnet::jinja
