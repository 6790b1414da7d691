#include "text/jinja/arithmetic.h"

#include <cmath>

#include "text/jinja/markup.h"
#include "text/jinja/numbers.h"
#include "text/jinja/printf_format.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {
namespace {

__extension__ typedef unsigned __int128 Magnitude;  // NOLINT(modernize-use-using)

[[noreturn]] void refuse(std::string_view op, const Value& a, const Value& b) {
  require_defined(a);
  require_defined(b);
  raise("unsupported operand type(s) for ", op, ": '", type_name(a), "' and '", type_name(b), "'");
}

[[noreturn]] void refuse_size() {
  raise("integer of more than 128 bits");
}

[[nodiscard]] Integer checked_sum(Integer a, Integer b) {
  Integer result = 0;
  if (__builtin_add_overflow(a, b, &result)) refuse_size();
  return result;
}

[[nodiscard]] Integer checked_difference(Integer a, Integer b) {
  Integer result = 0;
  if (__builtin_sub_overflow(a, b, &result)) refuse_size();
  return result;
}

[[nodiscard]] Magnitude magnitude_of(Integer a) {
  return a < 0 ? Magnitude{0} - static_cast<Magnitude>(a) : static_cast<Magnitude>(a);
}

// By magnitudes: the compiler's own overflow check for 128 bits needs a library that clang does not link
// here.
[[nodiscard]] Integer checked_product(Integer a, Integer b) {
  const Magnitude x = magnitude_of(a);
  const Magnitude y = magnitude_of(b);
  constexpr Magnitude kLargest = ~Magnitude{0} >> 1;
  if (x != 0 && y > kLargest / x) refuse_size();
  const auto product = static_cast<Integer>(x * y);
  return (a < 0) != (b < 0) ? -product : product;
}

struct Division {
  Integer quotient;
  Integer remainder;
};

// Rounded down, as Python does; the remainder has the sign of b.
[[nodiscard]] Division floor_division(Integer a, Integer b) {
  if (b == 0) raise("integer division or modulo by zero");
  if (b == -1) return {checked_difference(0, a), 0};
  Division result{a / b, a % b};
  if (result.remainder != 0 && (result.remainder < 0) != (b < 0)) {
    --result.quotient;
    result.remainder += b;
  }
  return result;
}

// CPython's float_divmod, so that signs and the last bit agree.
[[nodiscard]] double floor_remainder(double a, double b) {
  double remainder = std::fmod(a, b);
  if (remainder == 0) return std::copysign(0.0, b);
  if ((b < 0) != (remainder < 0)) remainder += b;
  return remainder;
}

[[nodiscard]] double floor_quotient(double a, double b) {
  double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0 && (b < 0) != (remainder < 0)) quotient -= 1.0;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

[[nodiscard]] Value repeat(const Value& sequence, Integer times, Budget& budget) {
  const size_t count = times < 0 ? 0 : static_cast<size_t>(to_index(times));
  const size_t length = sequence.is_text() ? sequence.as_text().size() : sequence.items().size();
  size_t total = 0;
  if (__builtin_mul_overflow(length, count, &total)) raise("repeated too often");
  if (sequence.is_text()) {
    budget.prepare_text(total);
    std::string out;
    out.reserve(total);
    for (size_t i = 0; i < count && length > 0; ++i) out += sequence.as_text();
    return make_text_like(sequence, budget, std::move(out));
  }
  budget.prepare_elements(total, sizeof(Value));
  Values items;
  items.reserve(total);
  for (size_t i = 0; i < count && length > 0; ++i) {
    items.insert(items.end(), sequence.items().begin(), sequence.items().end());
  }
  return sequence.is(Kind::list) ? make_list(budget, std::move(items)) : make_tuple(budget, std::move(items));
}

[[nodiscard]] Value concatenate(const Value& a, const Value& b, Budget& budget) {
  if (a.is_markup() != b.is_markup())
    return concatenate(escape_value(a, budget), escape_value(b, budget), budget);
  if (a.is_text()) {
    budget.prepare_text(a.as_text().size() + b.as_text().size());
    std::string out;
    out.reserve(a.as_text().size() + b.as_text().size());
    out += a.as_text();
    out += b.as_text();
    return make_text_like(a, budget, std::move(out));
  }
  budget.prepare_elements(a.items().size() + b.items().size(), sizeof(Value));
  Values items;
  items.reserve(a.items().size() + b.items().size());
  items.insert(items.end(), a.items().begin(), a.items().end());
  items.insert(items.end(), b.items().begin(), b.items().end());
  return a.is(Kind::list) ? make_list(budget, std::move(items)) : make_tuple(budget, std::move(items));
}

[[nodiscard]] Integer integer_power(Integer base, Integer exponent, Budget& budget) {
  Integer result = 1;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  for (; exponent > 0; --exponent) {  // at most 127 rounds before the product is refused
    budget.spend();
    result = checked_product(result, base);
  }
  return result;
}

}  // namespace

Value add(const Value& a, const Value& b, Budget& budget) {
  const std::optional<Integer> x = integer_of(a);
  const std::optional<Integer> y = integer_of(b);
  if (x && y) return Value::integer(checked_sum(*x, *y));
  const std::optional<double> left = floating_of(a);
  const std::optional<double> right = floating_of(b);
  if (left && right) return Value::floating(*left + *right);
  if (a.kind() == b.kind() && (a.is_text() || a.is_sequence())) return concatenate(a, b, budget);
  if ((a.is_text() || a.is_sequence()) && !b.is_undefined()) {
    raise("can only concatenate ", type_name(a), " (not \"", type_name(b), "\") to ", type_name(a));
  }
  refuse("+", a, b);
}

Value subtract(const Value& a, const Value& b) {
  const std::optional<Integer> x = integer_of(a);
  const std::optional<Integer> y = integer_of(b);
  if (x && y) return Value::integer(checked_difference(*x, *y));
  const std::optional<double> left = floating_of(a);
  const std::optional<double> right = floating_of(b);
  if (left && right) return Value::floating(*left - *right);
  refuse("-", a, b);
}

Value multiply(const Value& a, const Value& b, Budget& budget) {
  const std::optional<Integer> x = integer_of(a);
  const std::optional<Integer> y = integer_of(b);
  if (x && y) return Value::integer(checked_product(*x, *y));
  if ((a.is_text() || a.is_sequence()) && y) return repeat(a, *y, budget);
  if ((b.is_text() || b.is_sequence()) && x) return repeat(b, *x, budget);
  const std::optional<double> left = floating_of(a);
  const std::optional<double> right = floating_of(b);
  if (left && right) return Value::floating(*left * *right);
  if ((a.is_text() || a.is_sequence()) && !b.is_undefined()) {
    raise("can't multiply sequence by non-int of type '", type_name(b), "'");
  }
  refuse("*", a, b);
}

Value divide(const Value& a, const Value& b) {
  const std::optional<double> left = floating_of(a);
  const std::optional<double> right = floating_of(b);
  if (!left || !right) refuse("/", a, b);
  if (*right == 0) raise("division by zero");
  return Value::floating(*left / *right);
}

Value floor_divide(const Value& a, const Value& b) {
  const std::optional<Integer> x = integer_of(a);
  const std::optional<Integer> y = integer_of(b);
  if (x && y) return Value::integer(floor_division(*x, *y).quotient);
  const std::optional<double> left = floating_of(a);
  const std::optional<double> right = floating_of(b);
  if (!left || !right) refuse("//", a, b);
  if (*right == 0) raise("float floor division by zero");
  return Value::floating(floor_quotient(*left, *right));
}

Value modulo(const Value& a, const Value& b, Budget& budget) {
  if (a.is_text()) return format_percent(a, b, budget);
  const std::optional<Integer> x = integer_of(a);
  const std::optional<Integer> y = integer_of(b);
  if (x && y) return Value::integer(floor_division(*x, *y).remainder);
  const std::optional<double> left = floating_of(a);
  const std::optional<double> right = floating_of(b);
  if (!left || !right) refuse("%", a, b);
  if (*right == 0) raise("float modulo");
  return Value::floating(floor_remainder(*left, *right));
}

Value power(const Value& a, const Value& b, Budget& budget) {
  const std::optional<Integer> x = integer_of(a);
  const std::optional<Integer> y = integer_of(b);
  if (x && y && *y >= 0) return Value::integer(integer_power(*x, *y, budget));
  const std::optional<double> left = floating_of(a);
  const std::optional<double> right = floating_of(b);
  if (!left || !right) refuse("** or pow()", a, b);
  if (*left == 0 && *right < 0) raise("0.0 cannot be raised to a negative power");
  if (*left < 0 && std::floor(*right) != *right) raise("complex numbers are not supported");
  const double result = std::pow(*left, *right);
  if (std::isinf(result) && std::isfinite(*left) && std::isfinite(*right))
    raise("Numerical result out of range");
  return Value::floating(result);
}

Value negate(const Value& a) {
  require_defined(a);
  if (const std::optional<Integer> x = integer_of(a)) return Value::integer(checked_difference(0, *x));
  if (a.is(Kind::floating)) return Value::floating(-a.as_floating());
  raise("bad operand type for unary -: '", type_name(a), "'");
}

Value positive(const Value& a) {
  require_defined(a);
  if (const std::optional<Integer> x = integer_of(a)) return Value::integer(*x);
  if (a.is(Kind::floating)) return a;
  raise("bad operand type for unary +: '", type_name(a), "'");
}

}  // namespace linnet::jinja
