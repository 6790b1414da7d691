// A set of characters as a pattern writes it: [^\s\p{L}] and the like.
#pragma once

#include <bitset>
#include <utility>
#include <vector>

#include "text/unicode.h"

namespace linnet {

class CharacterSet {
 public:
  CharacterSet() = default;
  explicit CharacterSet(CategorySet set) : categories_(set) {}
  static CharacterSet of(char32_t code);
  static CharacterSet spaces();  // \s
  static CharacterSet word();    // \w as Oniguruma has it: alphabetic, marks, decimal digits, connectors
  // Outside of brackets it counts ², ½ and the like of Latin-1 as well.
  static CharacterSet word_outside_brackets();
  static CharacterSet any_but_newline();

  void add(char32_t first, char32_t last) { ranges_.emplace_back(first, last); }
  // The same for a range of ASCII, with its letters in both cases.
  void add_both_cases(char32_t first, char32_t last);
  void add(const CharacterSet& other);
  void negate() { negated_ = !negated_; }
  // To be called when the set is complete, before contains().
  void finish();
  // How many sets it keeps as members of their own; the cost of contains() grows with them.
  [[nodiscard]] size_t parts() const noexcept { return parts_.size(); }

  [[nodiscard]] bool contains(char32_t code) const noexcept {
    return code < 128 ? ascii_[code] : contains_slowly(code);
  }

 private:
  [[nodiscard]] bool contains_slowly(char32_t code) const noexcept;

  CategorySet categories_ = 0;
  std::vector<std::pair<char32_t, char32_t>> ranges_;  // both ends included; sorted and apart when finished
  std::vector<CharacterSet> parts_;                    // negated ones: their members are members as well
  bool negated_ = false;
  std::bitset<128> ascii_;
};

}  // namespace linnet
