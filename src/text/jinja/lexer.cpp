#include "text/jinja/lexer.h"

#include <algorithm>
#include <array>

#include "text/jinja/numbers.h"
#include "text/jinja/string_literal.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

// Line ends become \n, and the last one goes: Jinja's keep_trailing_newline is off.
[[nodiscard]] std::string normalize_lines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

[[nodiscard]] bool is_ascii_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(normalize_lines(source)), rest_(source_) {}

  [[nodiscard]] std::vector<Token> run() {
    try {
      while (!rest_.empty()) read_text();
      add(TokenType::end);
      return std::move(tokens_);
    } catch (const Failure& failure) {
      throw TemplateError(ErrorKind::model, line_, failure.what());
    }
  }

 private:
  void add(TokenType type, std::string text = {}) { tokens_.push_back({type, line_, std::move(text)}); }

  void advance(size_t bytes) {
    line_ += static_cast<int>(std::count(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(bytes), '\n'));
    after_newline_ = bytes > 0 ? rest_[bytes - 1] == '\n' : after_newline_;
    rest_.remove_prefix(bytes);
  }

  [[nodiscard]] bool take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    advance(prefix.size());
    return true;
  }

  void skip_space() { advance(rest_.size() - strip_space(rest_, true, false).size()); }

  // Text up to the next tag, and the tag.
  void read_text() {
    size_t tag = 0;
    for (;; ++tag) {
      tag = rest_.find('{', tag);
      if (tag == std::string_view::npos || tag + 1 >= rest_.size()) {
        add_text(rest_);
        return advance(rest_.size());
      }
      const char second = rest_[tag + 1];
      if (second == '{' || second == '%' || second == '#') break;
    }
    const std::string_view text = rest_.substr(0, tag);
    const char kind = rest_[tag + 1];
    const char sign = tag + 2 < rest_.size() ? rest_[tag + 2] : '\0';
    const bool signed_tag = sign == '-' || sign == '+';
    add_text(trimmed_before_tag(text, sign, kind != '{'));
    advance(tag + (signed_tag ? 3 : 2));
    switch (kind) {
      case '{':
        return read_tag(TokenType::print_begin);
      case '#':
        return skip_comment();
      default:
        if (!read_raw_block()) read_tag(TokenType::block_begin);
    }
  }

  void add_text(std::string_view text) {
    if (!text.empty()) add(TokenType::text, std::string(text));
  }

  // `-` takes all space before the tag; otherwise lstrip_blocks takes the indentation of a tag that is the
  // first on its line, unless `+` forbids it.
  [[nodiscard]] std::string_view trimmed_before_tag(std::string_view text, char sign, bool is_block) const {
    if (sign == '-') return strip_space(text, false, true);
    if (sign == '+' || !is_block) return text;
    const size_t line_begin = text.rfind('\n') + 1;  // npos + 1 is 0
    if (line_begin == 0 && !after_newline_) return text;
    const bool only_space = strip_space(text.substr(line_begin), true, false).empty();
    return only_space ? text.substr(0, line_begin) : text;
  }

  void skip_comment() {
    if (rest_.empty()) return;  // Jinja's: the last two characters may begin a comment that never ends
    const size_t end = rest_.find("#}");
    if (end == std::string_view::npos) raise("Missing end of comment tag");
    const char sign = end > 0 ? rest_[end - 1] : '\0';
    advance(end + 2);
    trim_after_tag(sign);
  }

  void trim_after_tag(char sign) {
    if (sign == '-') {
      skip_space();
    } else if (sign != '+' && rest_.starts_with('\n')) {
      advance(1);  // trim_blocks
    }
  }

  // After {% and its sign: {% raw %}…{% endraw %} as text. Takes nothing if it is another tag.
  [[nodiscard]] bool read_raw_block() {
    std::string_view ahead = strip_space(rest_, true, false);
    if (!ahead.starts_with("raw")) return false;
    ahead = strip_space(ahead.substr(3), true, false);
    if (ahead.starts_with("-%}")) {
      advance(rest_.size() - ahead.size() + 3);
      skip_space();
    } else if (ahead.starts_with("%}")) {
      advance(rest_.size() - ahead.size() + 2);
    } else {
      return false;
    }
    for (size_t begin = rest_.find("{%"); begin != std::string_view::npos;
         begin = rest_.find("{%", begin + 1)) {
      std::string_view tag = rest_.substr(begin + 2);
      const char sign = tag.empty() ? '\0' : tag[0];
      if (sign == '-' || sign == '+') tag.remove_prefix(1);
      tag = strip_space(tag, true, false);
      if (!tag.starts_with("endraw")) continue;
      tag = strip_space(tag.substr(6), true, false);
      const char end_sign = tag.empty() ? '\0' : tag[0];
      if (end_sign == '-' || end_sign == '+') tag.remove_prefix(1);
      if (!tag.starts_with("%}")) continue;
      add_text(trimmed_before_tag(rest_.substr(0, begin), sign, true));
      advance(rest_.size() - tag.size() + 2);
      trim_after_tag(end_sign);
      return true;
    }
    raise("Missing end of raw directive");
  }

  // The tokens of a tag up to its end. Inside brackets the end is not looked for: {{ {'a': {}} }}.
  void read_tag(TokenType begin) {
    add(begin);
    brackets_.clear();
    const bool is_block = begin == TokenType::block_begin;
    while (!(brackets_.empty() && take_tag_end(is_block))) {
      if (rest_.empty()) raise("unexpected end of template inside a tag");
      read_token();
    }
  }

  [[nodiscard]] bool take_tag_end(bool is_block) {
    const std::string_view end = is_block ? "%}" : "}}";
    const char sign = rest_.empty() ? '\0' : rest_[0];
    const bool signed_end = sign == '-' || (sign == '+' && is_block);
    if (!rest_.substr(signed_end ? 1 : 0).starts_with(end)) return false;
    add(is_block ? TokenType::block_end : TokenType::print_end);
    advance(signed_end ? 3 : 2);
    if (is_block) {
      trim_after_tag(sign);
    } else if (sign == '-') {
      skip_space();
    }
    return true;
  }

  void read_token() {
    const CodePoint first = decode_at(rest_, 0);
    if (is_space(first.value)) return skip_space();
    if (is_ascii_digit(rest_[0])) return read_number();
    if (first.value == '_' || is_alphanumeric(first.value)) return read_name();
    if (rest_[0] == '"' || rest_[0] == '\'') return read_string();
    read_symbol();
  }

  void read_name() {
    size_t end = 0;
    while (end < rest_.size()) {
      const CodePoint character = decode_at(rest_, end);
      if (character.value != '_' && !is_alphanumeric(character.value)) break;
      end += character.bytes;
    }
    const char32_t first = decode_at(rest_, 0).value;
    if (first != '_' && !is_alphabetic(first)) raise("Invalid character in identifier");
    add(TokenType::name, std::string(rest_.substr(0, end)));
    advance(end);
  }

  void read_string() {
    const char quote = rest_[0];
    size_t end = 1;
    while (end < rest_.size() && rest_[end] != quote) end += rest_[end] == '\\' ? 2 : 1;
    if (end >= rest_.size()) raise("unexpected char '", quote, "': the string does not end");
    add(TokenType::string, unescape_string(rest_.substr(1, end - 1)));
    advance(end + 1);
  }

  // Digits with single underscores between them, from at.
  [[nodiscard]] size_t end_of_digits(size_t at) const {
    while (at < rest_.size() && (is_ascii_digit(rest_[at]) || (rest_[at] == '_' && at + 1 < rest_.size() &&
                                                               is_ascii_digit(rest_[at + 1])))) {
      ++at;
    }
    return at;
  }

  // The end of a fraction and exponent after the whole part, or whole itself if there is neither.
  [[nodiscard]] size_t end_of_float(size_t whole) const {
    size_t end = whole;
    const auto digit_at = [this](size_t at) { return at < rest_.size() && is_ascii_digit(rest_[at]); };
    if (end < rest_.size() && rest_[end] == '.' && digit_at(end + 1)) end = end_of_digits(end + 1);
    if (end < rest_.size() && (rest_[end] == 'e' || rest_[end] == 'E')) {
      const size_t sign = end + 1 < rest_.size() && (rest_[end + 1] == '+' || rest_[end + 1] == '-') ? 1 : 0;
      if (digit_at(end + 1 + sign)) end = end_of_digits(end + 1 + sign);
    }
    return end;
  }

  void read_number() {
    const size_t whole = end_of_digits(0);
    const bool after_dot =
        !tokens_.empty() && tokens_.back().type == TokenType::symbol && tokens_.back().text == ".";
    const size_t end = after_dot ? whole : end_of_float(whole);
    if (end > whole) {
      const std::optional<double> value = parse_float(rest_.substr(0, end));
      add(TokenType::floating);
      tokens_.back().floating = value.value_or(0);
      return advance(end);
    }
    size_t length = whole;
    if (rest_[0] == '0') length = std::min(rest_.substr(0, whole).find_first_not_of("0_"), whole);
    if (length == 1 && rest_[0] == '0' && rest_.size() > 2) length = end_of_prefixed_integer();
    std::string digits(rest_.substr(0, length));
    const std::optional<Integer> value = parse_integer(digits, 0);
    if (!value) raise("invalid number ", digits);
    add(TokenType::integer);
    tokens_.back().integer = *value;
    advance(length);
  }

  // 0x1F, 0o17, 0b1; 1 if it is only a zero.
  [[nodiscard]] size_t end_of_prefixed_integer() const {
    const char letter = static_cast<char>(rest_[1] | 0x20);
    const std::string_view digits = letter == 'x'   ? "0123456789abcdefABCDEF_"
                                    : letter == 'o' ? "01234567_"
                                    : letter == 'b' ? "01_"
                                                    : "";
    const size_t end = std::min(rest_.find_first_not_of(digits, 2), rest_.size());
    return digits.empty() || end == 2 ? 1 : end;
  }

  void read_symbol() {
    static constexpr std::array<std::string_view, 6> kDouble = {"//", "**", "==", "!=", ">=", "<="};
    static constexpr std::string_view kSingle = "+-/*%~[](){}><=.:|,;";
    const auto pair = std::find(kDouble.begin(), kDouble.end(), rest_.substr(0, 2));
    const size_t length = pair != kDouble.end() ? 2 : 1;
    if (length == 1 && kSingle.find(rest_[0]) == std::string_view::npos) {
      raise("unexpected char '", rest_.substr(0, decode_at(rest_, 0).bytes), "'");
    }
    const std::string symbol(rest_.substr(0, length));
    balance(symbol[0]);
    add(TokenType::symbol, symbol);
    advance(length);
  }

  void balance(char c) {
    if (c == '(' || c == '[' || c == '{') brackets_ += c == '(' ? ')' : c == '[' ? ']' : '}';
    if (c != ')' && c != ']' && c != '}') return;
    if (brackets_.empty()) raise("unexpected '", c, "'");
    if (brackets_.back() != c) raise("unexpected '", c, "', expected '", brackets_.back(), "'");
    brackets_.pop_back();
  }

  std::string source_;
  std::string_view rest_;
  std::vector<Token> tokens_;
  std::string brackets_;  // the closing ones still expected
  int line_ = 1;
  bool after_newline_ = true;  // what was read last ends a line
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  if (!is_utf8(source)) throw TemplateError(ErrorKind::model, 1, "the template is not UTF-8");
  return Lexer(source).run();
}

}  // namespace linnet::jinja
