#include "text/character_set.h"

#include <algorithm>
#include <iterator>

namespace linnet {

CharacterSet CharacterSet::of(char32_t code) {
  CharacterSet set;
  set.add(code, code);
  return set;
}

CharacterSet CharacterSet::spaces() {
  CharacterSet set(kSeparator);
  set.add(9, 13);
  set.add(0x85, 0x85);
  return set;
}

CharacterSet CharacterSet::word() {
  CharacterSet set(kLetter | kMark | categories(Category::nd, Category::nl, Category::pc));
  set.add(0x24B6, 0x24E9);  // circled and squared letters are symbols, but alphabetic
  set.add(0x1F130, 0x1F149);
  set.add(0x1F150, 0x1F169);
  set.add(0x1F170, 0x1F189);
  return set;
}

CharacterSet CharacterSet::word_outside_brackets() {
  CharacterSet set = word();
  set.add(0xB2, 0xB3);
  set.add(0xB9, 0xB9);
  set.add(0xBC, 0xBE);
  return set;
}

CharacterSet CharacterSet::any_but_newline() {
  CharacterSet set = of('\n');
  set.negate();
  return set;
}

void CharacterSet::add_both_cases(char32_t first, char32_t last) {
  add(first, last);
  for (char32_t code = first; code <= last; ++code) {
    const char32_t letter = lowercase(code);
    if (letter < 'a' || letter > 'z') continue;
    add(letter, letter);
    add(letter - 'a' + 'A', letter - 'a' + 'A');
    if (letter == 's') add(0x17F, 0x17F);    // ſ
    if (letter == 'k') add(0x212A, 0x212A);  // the sign of the kelvin
  }
}

void CharacterSet::add(const CharacterSet& other) {
  if (other.negated_) {
    parts_.push_back(other);
    return;
  }
  categories_ |= other.categories_;
  ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
  parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end());
}

void CharacterSet::finish() {
  std::sort(ranges_.begin(), ranges_.end());
  size_t kept = 0;
  for (const auto& [first, last] : ranges_) {
    if (kept > 0 && first <= ranges_[kept - 1].second) {
      ranges_[kept - 1].second = std::max(ranges_[kept - 1].second, last);
    } else {
      ranges_[kept++] = {first, last};
    }
  }
  ranges_.resize(kept);
  for (CharacterSet& part : parts_) part.finish();
  for (char32_t code = 0; code < 128; ++code) ascii_[code] = contains_slowly(code);
}

bool CharacterSet::contains_slowly(char32_t code) const noexcept {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), code,
                                      [](char32_t value, const auto& range) { return value < range.first; });
  const bool inside = is_in(code, categories_) ||
                      (after != ranges_.begin() && code <= std::prev(after)->second) ||
                      std::any_of(parts_.begin(), parts_.end(),
                                  [code](const CharacterSet& part) { return part.contains(code); });
  return inside != negated_;
}

}  // namespace linnet
