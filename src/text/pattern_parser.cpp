#include "text/pattern_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/quoted.h"
#include "base/utf8.h"
#include "files/metadata.h"

namespace linnet {
namespace {

using Kind = PatternNode::Kind;

constexpr int kDeepest = 32;             // groups and sets in one another
constexpr uint32_t kMostRepeats = 1000;  // of a counted repetition
constexpr size_t kMostParts = 8;         // negated sets in a set
constexpr size_t kLongestPattern = 16384;

struct NamedCategory {
  std::string_view name;
  CategorySet set;
};

constexpr std::array<NamedCategory, 34> kNamedCategories = {{
    {"L", kLetter},
    {"M", kMark},
    {"N", kNumber},
    {"P", kPunctuation},
    {"S", kSymbol},
    {"Z", kSeparator},
    {"Ll", categories(Category::ll)},
    {"Lm", categories(Category::lm)},
    {"Lo", categories(Category::lo)},
    {"Lt", categories(Category::lt)},
    {"Lu", categories(Category::lu)},
    {"Mc", categories(Category::mc)},
    {"Me", categories(Category::me)},
    {"Mn", categories(Category::mn)},
    {"Nd", categories(Category::nd)},
    {"Nl", categories(Category::nl)},
    {"No", categories(Category::no)},
    {"Pc", categories(Category::pc)},
    {"Pd", categories(Category::pd)},
    {"Pe", categories(Category::pe)},
    {"Pf", categories(Category::pf)},
    {"Pi", categories(Category::pi)},
    {"Po", categories(Category::po)},
    {"Ps", categories(Category::ps)},
    {"Sc", categories(Category::sc)},
    {"Sk", categories(Category::sk)},
    {"Sm", categories(Category::sm)},
    {"So", categories(Category::so)},
    {"Zl", categories(Category::zl)},
    {"Zp", categories(Category::zp)},
    {"Zs", categories(Category::zs)},
    {"Cc", categories(Category::cc)},
    {"Cf", categories(Category::cf)},
    {"Co", categories(Category::co)},
}};

[[nodiscard]] PatternNode set_node(CharacterSet set) {
  PatternNode node;
  node.kind = Kind::set;
  node.set = std::move(set);
  return node;
}

[[nodiscard]] PatternNode bare_node(Kind kind) {
  PatternNode node;
  node.kind = kind;
  return node;
}

[[nodiscard]] bool may_be_empty(const PatternNode& node) {
  const auto& children = node.children;
  switch (node.kind) {
    case Kind::set:
      return false;
    case Kind::sequence:
      return std::all_of(children.begin(), children.end(), may_be_empty);
    case Kind::choice:
      return std::any_of(children.begin(), children.end(), may_be_empty);
    case Kind::repeat:
      return node.least == 0 || may_be_empty(children.front());
    default:
      return true;
  }
}

class Parser {
 public:
  explicit Parser(std::string_view source) : source_(source) {
    if (source.size() > kLongestPattern) refuse("it is too long");
    if (!is_utf8(source)) refuse("it is not UTF-8");
  }

  [[nodiscard]] PatternNode whole() {
    PatternNode node = choice(0);
    if (!at_end()) refuse("')' without '('");
    return node;
  }

 private:
  [[noreturn]] void refuse(std::string_view reason) const {
    fail(ErrorKind::model, "the pattern ", quoted_name(source_), " cannot be used: at byte ", at_, ", ",
         reason);
  }

  [[nodiscard]] bool at_end() const { return at_ == source_.size(); }
  [[nodiscard]] bool sees(std::string_view text) const { return source_.substr(at_).starts_with(text); }
  [[nodiscard]] bool take(std::string_view text) {
    if (!sees(text)) return false;
    at_ += text.size();
    return true;
  }
  [[nodiscard]] char32_t take_code() {
    if (at_end()) refuse("it ends too early");
    const CodePoint code = decode(source_.substr(at_));
    at_ += code.bytes;
    return code.value;
  }

  [[nodiscard]] PatternNode choice(int depth) {
    if (depth > kDeepest) refuse("groups are nested too deeply");
    PatternNode node = bare_node(Kind::choice);
    do {
      node.children.push_back(sequence(depth));
    } while (take("|"));
    if (node.children.size() > 1) return node;
    PatternNode only = std::move(node.children.front());
    return only;
  }

  [[nodiscard]] PatternNode sequence(int depth) {
    PatternNode node = bare_node(Kind::sequence);
    while (!at_end() && !sees("|") && !sees(")")) node.children.push_back(quantified(depth));
    if (node.children.size() != 1) return node;
    PatternNode only = std::move(node.children.front());
    return only;
  }

  [[nodiscard]] PatternNode quantified(int depth) {
    PatternNode node = atom(depth);
    for (int count = 0; const auto range = quantifier(); ++count) {
      if (count == 4) refuse("too many quantifiers in a row");
      PatternNode repeat = bare_node(Kind::repeat);
      repeat.least = range->least;
      repeat.most = range->most;
      // Where such a loop ends is decided differently by every implementation.
      if (range->most == PatternNode::kUnlimited && may_be_empty(node))
        refuse("an unlimited repetition of what may be empty is not supported");
      // Oniguruma: of an interval a following '+' repeats the whole and, if it is {n}, '?' makes it optional.
      if (!range->interval && take("+")) {
        if (node.kind != Kind::set)
          refuse("a possessive quantifier of more than one character is not supported");
        repeat.possessive = true;
      } else if (!(range->interval && range->least == range->most) && take("?")) {
        repeat.lazy = true;
      }
      repeat.children.push_back(std::move(node));
      node = std::move(repeat);
    }
    return node;
  }

  struct Range {
    uint32_t least, most;
    bool interval;
  };

  [[nodiscard]] std::optional<Range> quantifier() {
    if (take("?")) return Range{0, 1, false};
    if (take("*")) return Range{0, PatternNode::kUnlimited, false};
    if (take("+")) return Range{1, PatternNode::kUnlimited, false};
    if (!sees("{")) return std::nullopt;
    const size_t begin = at_++;
    const std::optional<uint32_t> least = number();
    const bool comma = take(",");
    const std::optional<uint32_t> most = comma ? number() : least;
    if ((!least && !most) || !take("}")) {
      at_ = begin;  // a brace that is no interval stands for itself
      return std::nullopt;
    }
    const Range range{least.value_or(0), most.value_or(PatternNode::kUnlimited), true};
    if (range.most < range.least) refuse("an interval goes from more to less");
    return range;
  }

  [[nodiscard]] std::optional<uint32_t> number() {
    std::optional<uint32_t> value;
    while (!at_end() && source_[at_] >= '0' && source_[at_] <= '9') {
      value = value.value_or(0) * 10 + static_cast<uint32_t>(source_[at_++] - '0');
      if (*value > kMostRepeats) refuse("it repeats something too often");
    }
    return value;
  }

  [[nodiscard]] PatternNode atom(int depth) {
    if (take("(")) return group(depth);
    if (take("[")) return finished(bracket(depth));
    if (take(".")) return finished(CharacterSet::any_but_newline());
    if (take("^")) return bare_node(Kind::line_begin);
    if (take("$")) return bare_node(Kind::line_end);
    if (sees("*") || sees("+") || sees("?")) refuse("a quantifier has nothing before it");
    if (take("\\")) return finished(escape(false));
    refuse_letters_that_join();
    return finished(single(take_code()));
  }

  [[nodiscard]] static PatternNode finished(CharacterSet set) {
    set.finish();
    return set_node(std::move(set));
  }

  [[nodiscard]] CharacterSet single(char32_t code) const {
    CharacterSet set;
    add_range(set, code, code);
    return set;
  }

  void add_range(CharacterSet& set, char32_t first, char32_t last) const {
    if (!ignores_case_) {
      set.add(first, last);
      return;
    }
    if (last >= 0x80) refuse("characters beyond ASCII without regard to case are not supported");
    set.add_both_cases(first, last);
  }

  // Without regard to case some pairs of letters are a single character as well: ss is ß, fi is ﬁ.
  void refuse_letters_that_join() const {
    if (!ignores_case_ || at_ + 1 >= source_.size()) return;
    const auto lower = [&](size_t at) { return lowercase(static_cast<unsigned char>(source_[at])); };
    const char32_t first = lower(at_);
    const char32_t second = lower(at_ + 1);
    const bool joins = (first == 's' && (second == 's' || second == 't')) ||
                       (first == 'f' && (second == 'f' || second == 'i' || second == 'l'));
    if (joins) refuse("ss, st, ff, fi and fl without regard to case are not supported");
  }

  [[nodiscard]] PatternNode group(int depth) {
    const bool outer_case = ignores_case_;
    if (take("?")) {
      if (take("=")) return look_ahead(depth, Kind::next_is);
      if (take("!")) return look_ahead(depth, Kind::next_is_not);
      if (take("i)")) {  // a group to the end of the one around it: a(?i)b|c is a(?i:b|c)
        ignores_case_ = true;
        PatternNode rest = choice(depth + 1);
        ignores_case_ = outer_case;
        return rest;
      }
      if (take("i:")) {
        ignores_case_ = true;
      } else if (take("-i:")) {
        ignores_case_ = false;
      } else if (!take(":")) {
        refuse(sees("<=") || sees("<!") ? "look-behind is not supported"
                                        : "this kind of group is not supported");
      }
    }
    PatternNode node = choice(depth + 1);
    if (!take(")")) refuse("a group is not closed");
    ignores_case_ = outer_case;
    return node;
  }

  [[nodiscard]] PatternNode look_ahead(int depth, Kind kind) {
    PatternNode inside = choice(depth + 1);
    if (!take(")")) refuse("a group is not closed");
    if (inside.kind != Kind::set) refuse("look-ahead at more than one character is not supported");
    inside.kind = kind;
    return inside;
  }

  // After the backslash.
  [[nodiscard]] CharacterSet escape(bool in_brackets) {
    const char32_t letter = take_code();
    switch (letter) {
      case 's':
        return CharacterSet::spaces();
      case 'S':
        return negated(CharacterSet::spaces());
      case 'd':
        return CharacterSet(categories(Category::nd));
      case 'D':
        return negated(CharacterSet(categories(Category::nd)));
      case 'w':
        return in_brackets ? CharacterSet::word() : CharacterSet::word_outside_brackets();
      case 'W':
        return negated(in_brackets ? CharacterSet::word() : CharacterSet::word_outside_brackets());
      case 'p':
        return property(false);
      case 'P':
        return property(true);
      default:
        return single(escaped_code(letter));
    }
  }

  [[nodiscard]] static CharacterSet negated(CharacterSet set) {
    set.negate();
    return set;
  }

  [[nodiscard]] char32_t escaped_code(char32_t letter) {
    switch (letter) {
      case 't':
        return '\t';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 'f':
        return '\f';
      case 'v':
        return '\v';
      case 'a':
        return '\a';
      case 'e':
        return 0x1B;
      case 'x':
        if (take("{")) {
          const char32_t code = hexadecimal(1, 8);
          if (!take("}")) refuse("\\x{ is not closed");
          return code;
        }
        return hexadecimal(1, 2);
      case 'u':
        return hexadecimal(4, 4);
      default:
        break;
    }
    const bool alphanumeric = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                              (letter >= 'A' && letter <= 'Z');
    if (alphanumeric) refuse(concat("the escape \\", static_cast<char>(letter), " is not supported"));
    return letter;
  }

  [[nodiscard]] char32_t hexadecimal(int least, int most) {
    char32_t value = 0;
    int digits = 0;
    for (; digits < most && !at_end(); ++digits, ++at_) {
      const char digit = source_[at_];
      if (digit >= '0' && digit <= '9') {
        value = value * 16 + static_cast<char32_t>(digit - '0');
      } else if ((digit >= 'a' && digit <= 'f') || (digit >= 'A' && digit <= 'F')) {
        value = value * 16 + static_cast<char32_t>((digit | 32) - 'a' + 10);
      } else {
        break;
      }
    }
    if (digits < least || value > 0x10FFFF) refuse("an escape names no character");
    return value;
  }

  [[nodiscard]] CharacterSet property(bool negate) {
    if (!take("{")) refuse("\\p is not followed by {…}");
    if (take("^")) negate = !negate;
    const size_t end = source_.find('}', at_);
    if (end == std::string_view::npos) refuse("\\p{ is not closed");
    const std::string_view name = source_.substr(at_, end - at_);
    for (const NamedCategory& named : kNamedCategories) {
      if (named.name != name) continue;
      if (ignores_case_ && (named.set & (kLetter | kMark)) != 0)
        refuse("letters and marks by category without regard to case are not supported");
      at_ = end + 1;
      CharacterSet set(named.set);
      if (negate) set.negate();
      return set;
    }
    refuse(concat("the property ", quoted_name(name), " is not supported"));
  }

  // After the opening bracket.
  [[nodiscard]] CharacterSet bracket(int depth) {
    if (depth > kDeepest) refuse("sets are nested too deeply");
    CharacterSet set;
    const bool negate = take("^");
    for (bool first = true; first || !sees("]"); first = false) {
      if (at_end()) refuse("a set is not closed");
      if (sees("&&")) refuse("the intersection of sets is not supported");
      if (sees("[:")) refuse("POSIX brackets are not supported");
      if (take("[")) {
        set.add(bracket(depth + 1));
      } else {
        add_member(set);
      }
      if (set.parts() > kMostParts) refuse("a set has too many negated sets in it");
    }
    ++at_;
    if (negate) set.negate();
    return set;
  }

  void add_member(CharacterSet& set) {
    constexpr std::string_view kSets = "sSdDwWpP";
    char32_t first = take_code();
    if (first == '\\') {
      if (!at_end() && kSets.find(source_[at_]) != std::string_view::npos) {
        set.add(escape(true));
        return;
      }
      first = escaped_code(take_code());
    }
    char32_t last = first;
    const bool range = sees("-") && !source_.substr(at_ + 1).starts_with(']') && at_ + 1 < source_.size();
    if (range) {
      ++at_;
      last = take_code();
      if (last == '[') refuse("a range ends in a set");
      if (last == '\\') {
        if (!at_end() && kSets.find(source_[at_]) != std::string_view::npos) refuse("a range ends in a set");
        last = escaped_code(take_code());
      }
    }
    if (last < first) refuse("a range goes from more to less");
    add_range(set, first, last);
  }

  std::string_view source_;
  size_t at_ = 0;
  bool ignores_case_ = false;
};

}  // namespace

PatternNode parse_pattern(std::string_view source) {
  return Parser(source).whole();
}

}  // namespace linnet
