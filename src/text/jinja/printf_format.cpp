#include "text/jinja/printf_format.h"

#include "text/jinja/dict.h"
#include "text/jinja/format_spec.h"
#include "text/jinja/markup.h"
#include "text/jinja/numbers.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/range.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

class PercentFormatter {
 public:
  PercentFormatter(std::string_view format, const Value& values, bool escapes, Budget& budget)
      : format_(format), values_(values), escapes_(escapes), out_(budget), budget_(budget) {}

  [[nodiscard]] std::string run() {
    while (at_ < format_.size()) {
      const size_t percent = std::min(format_.find('%', at_), format_.size());
      out_.append(format_.substr(at_, percent - at_));
      at_ = percent;
      if (at_ < format_.size()) convert();
    }
    const bool mapping =
        values_.is_dict() || values_.is(Kind::list) || values_.is_undefined() || values_.object_as<Range>();
    const bool all_used = values_.is(Kind::tuple) ? next_ == values_.items().size() : next_ == 1 || mapping;
    if (!all_used) raise("not all arguments converted during string formatting");
    return out_.take();
  }

 private:
  [[nodiscard]] const Value& next_value() {
    const bool is_tuple = values_.is(Kind::tuple);
    if (next_ >= (is_tuple ? values_.items().size() : 1)) raise("not enough arguments for format string");
    return is_tuple ? values_.items()[next_++] : (++next_, values_);
  }

  [[nodiscard]] char peek() const {
    if (at_ >= format_.size()) raise("incomplete format");
    return format_[at_];
  }

  // %(name)…: the value of that key.
  [[nodiscard]] const Value& named_value() {
    if (!values_.is_dict()) raise("format requires a mapping");
    const size_t begin = ++at_;
    for (int open = 1; open > 0; ++at_) open += peek() == '(' ? 1 : peek() == ')' ? -1 : 0;
    const std::string_view name = format_.substr(begin, at_ - 1 - begin);
    const Value* value = values_.as_dict().find(name);
    if (!value) raise("KeyError: '", name, "'");
    return *value;
  }

  [[nodiscard]] std::optional<size_t> take_count(FormatSpec& spec) {
    if (peek() != '*') return take_number(format_, at_);
    ++at_;
    const std::optional<Integer> count = integer_of(next_value());
    if (!count) raise("* wants int");
    if (*count < 0) spec.align = '<';
    return static_cast<size_t>(to_index(*count < 0 ? -*count : *count));
  }

  void convert() {
    ++at_;
    FormatSpec spec;
    spec.align = '>';
    const Value* named = peek() == '(' ? &named_value() : nullptr;
    bool zeros = false;
    for (;; ++at_) {
      const char flag = peek();
      if (flag == '-') {
        spec.align = '<';
      } else if (flag == '+' || (flag == ' ' && spec.sign != '+')) {
        spec.sign = flag;
      } else if (flag == '#') {
        spec.alternate = true;
      } else if (flag == '0') {
        zeros = true;
      } else if (flag != ' ') {
        break;
      }
    }
    spec.width = take_count(spec).value_or(0);
    if (peek() == '.') {
      ++at_;
      spec.precision = take_count(spec).value_or(0);
    }
    while (peek() == 'l' || peek() == 'h' || peek() == 'L') ++at_;
    spec.type = format_[at_++];
    if (spec.type == '%') return out_.append('%');
    if (zeros && spec.align == '>') {
      spec.align = '=';
      spec.fill = '0';
    }
    append(named ? *named : next_value(), spec);
  }

  void append(const Value& value, FormatSpec spec) {
    switch (spec.type) {
      case 's':
      case 'r':
      case 'a': {
        std::string text = spec.type == 's' ? to_text(value, budget_) : to_repr(value, budget_);
        if (escapes_ && !(spec.type == 's' && value.is_markup())) text = escape_html(text, budget_);
        spec.type = 's';
        return out_.append(format_text(text, without_zeros(spec), budget_));
      }
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        return append_integer(value, spec);
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G': {
        const std::optional<double> number = floating_of(value);
        require_defined(value);
        if (!number) raise("must be real number, not ", type_name(value));
        return out_.append(format_float(*number, spec, budget_));
      }
      case 'c':
        return append_character(value, spec);
      default:
        raise("unsupported format character '", spec.type, "'");
    }
  }

  void append_integer(const Value& value, FormatSpec spec) {
    require_defined(value);
    std::optional<Integer> number = integer_of(value);
    const bool decimal = spec.type == 'd' || spec.type == 'i' || spec.type == 'u';
    if (!number && value.is(Kind::floating) && decimal) number = truncate_to_integer(value.as_floating());
    if (!number) {
      raise("%", spec.type, " format: ", decimal ? "a real number" : "an integer", " is required, not ",
            type_name(value));
    }
    if (decimal) spec.type = 'd';
    if (!spec.precision) return out_.append(format_integer(*number, spec, budget_));
    // A precision is the least number of digits here.
    FormatSpec digits = spec;
    digits.width = *spec.precision + (*number < 0 || spec.sign != '-' ? 1 : 0) + (spec.alternate ? 2 : 0);
    digits.precision.reset();
    digits.align = '=';
    digits.fill = '0';
    spec.precision.reset();
    spec.type = 's';
    out_.append(format_text(format_integer(*number, digits, budget_), without_zeros(spec), budget_));
  }

  void append_character(const Value& value, FormatSpec spec) {
    std::string character;
    if (const std::optional<Integer> code = integer_of(value)) {
      if (*code < 0 || *code > 0x10FFFF) raise("%c arg not in range(0x110000)");
      if (*code >= 0xD800 && *code <= 0xDFFF) raise("half of a surrogate pair");
      append_utf8(static_cast<char32_t>(*code), character);
    } else if (value.is_text() && count_code_points(value.as_text()) == 1) {
      character = value.as_text();
    } else {
      raise("%c requires int or char");
    }
    spec.type = 's';
    spec.precision.reset();
    out_.append(format_text(character, without_zeros(spec), budget_));
  }

  [[nodiscard]] static FormatSpec without_zeros(FormatSpec spec) {
    if (spec.align == '=') spec.align = '>';
    spec.fill = ' ';
    return spec;
  }

  std::string_view format_;
  const Value& values_;
  bool escapes_;
  BoundedText out_;
  Budget& budget_;
  size_t at_ = 0;
  size_t next_ = 0;
};

}  // namespace

Value format_percent(const Value& format, const Value& values, Budget& budget) {
  return make_text_like(format, budget,
                        PercentFormatter(format.as_text(), values, format.is_markup(), budget).run());
}

}  // namespace linnet::jinja
