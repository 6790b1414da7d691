#include "text/jinja/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

__extension__ typedef unsigned __int128 Magnitude;  // NOLINT(modernize-use-using)

constexpr Magnitude kLargest = ~Magnitude{0} >> 1;

// Underscores between digits are allowed and removed; anywhere else they make the number invalid.
[[nodiscard]] bool remove_underscores(std::string& digits) {
  for (size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] != '_') continue;
    const bool between = i > 0 && i + 1 < digits.size() && digits[i - 1] != '_' && digits[i + 1] != '_' &&
                         std::isalnum(static_cast<unsigned char>(digits[i - 1])) != 0 &&
                         std::isalnum(static_cast<unsigned char>(digits[i + 1])) != 0;
    if (!between) return false;
  }
  std::erase(digits, '_');
  return true;
}

[[nodiscard]] int digit_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

// Takes 0x, 0o or 0b off the front where base allows it, and settles base 0.
[[nodiscard]] std::string_view without_prefix(std::string_view digits, unsigned& base) noexcept {
  if (digits.size() > 2 && digits[0] == '0') {
    const char letter = static_cast<char>(digits[1] | 0x20);
    const unsigned named = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (named != 0 && (base == 0 || base == named)) {
      base = named;
      digits.remove_prefix(digits[2] == '_' ? 3 : 2);
      return digits;
    }
  }
  if (base == 0) base = 10;
  return digits;
}

}  // namespace

std::string integer_to_text(Integer value, unsigned base) {
  Magnitude magnitude =
      value < 0 ? Magnitude{0} - static_cast<Magnitude>(value) : static_cast<Magnitude>(value);
  std::string digits;
  do {
    digits += "0123456789abcdef"[static_cast<size_t>(magnitude % base)];
    magnitude /= base;
  } while (magnitude != 0);
  if (value < 0) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string float_to_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[400];
  const double magnitude = std::fabs(value);
  // CPython's float_repr: an exponent from 1e16 on and below 1e-4, digits otherwise.
  const bool with_exponent = magnitude != 0 && (magnitude >= 1e16 || magnitude < 1e-4);
  const auto format = with_exponent ? std::chars_format::scientific : std::chars_format::fixed;
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, format);
  std::string text(buffer, result.ptr);
  if (!with_exponent && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::optional<Integer> parse_integer(std::string_view text, unsigned base) {
  std::string digits(strip_space(text, true, true));
  bool negative = false;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) {
    negative = digits[0] == '-';
    digits.erase(0, 1);
  }
  const bool any_base = base == 0;
  std::string body(without_prefix(digits, base));
  if (body.empty() || !remove_underscores(body)) return std::nullopt;
  const bool leading_zero =
      body.size() > 1 && body[0] == '0' && body.find_first_not_of('0') != std::string::npos;
  if (any_base && base == 10 && leading_zero) return std::nullopt;
  Magnitude magnitude = 0;
  for (const char c : body) {
    const int digit = digit_value(c);
    if (digit >= static_cast<int>(base)) return std::nullopt;
    if (magnitude > (kLargest - static_cast<Magnitude>(digit)) / base) raise("integer of more than 128 bits");
    magnitude = magnitude * base + static_cast<Magnitude>(digit);
  }
  const auto value = static_cast<Integer>(magnitude);
  return negative ? -value : value;
}

std::optional<double> parse_float(std::string_view text) {
  std::string digits(strip_space(text, true, true));
  if (!remove_underscores(digits)) return std::nullopt;
  std::string_view rest = digits;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  // from_chars would also take nan(...), which Python does not.
  if (rest.empty() || rest[0] == '-' || rest.find('(') != std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (result.ptr != rest.data() + rest.size()) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    // Too large or too small: which, the exponent or the number of digits before the point tells.
    const size_t exponent = rest.find_first_of("eE");
    const bool tiny =
        exponent != std::string_view::npos ? rest[exponent + 1] == '-' : rest[0] == '0' || rest[0] == '.';
    value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  } else if (result.ec != std::errc()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

Integer truncate_to_integer(double value) {
  if (std::isnan(value)) raise("cannot convert float NaN to integer");
  if (std::isinf(value)) raise("cannot convert float infinity to integer");
  if (std::fabs(value) >= 0x1p126) raise("integer of more than 128 bits");
  return static_cast<Integer>(value);
}

double round_to_digits(double value, int digits) {
  if (!std::isfinite(value) || digits > 308) return value;
  if (digits < -308) return std::copysign(0.0, value);
  if (digits < 0) {
    // Through the exact digits of the whole number: dividing by a power of ten would round twice.
    const double scale = std::pow(10.0, -digits);
    const double quotient = value / scale;
    const double rounded = std::nearbyint(quotient);
    return rounded * scale;
  }
  char buffer[700];
  const auto written = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits);
  double rounded = value;
  std::from_chars(buffer, written.ptr, rounded);
  return rounded;
}

int64_t to_index(Integer value) {
  if (value > std::numeric_limits<int64_t>::max() || value < std::numeric_limits<int64_t>::min()) {
    raise("cannot fit 'int' into an index-sized integer");
  }
  return static_cast<int64_t>(value);
}

}  // namespace linnet::jinja
