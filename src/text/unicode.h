// What a character is: general category, white space, case. Unicode 14, whatever the machine has: the same
// text must have the same tokens everywhere, so this is not taken from a system library.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace linnet {

// Named as in Unicode's table 4-4, numbered as in unicode_tables.h.
// clang-format off
enum class Category : uint8_t {
  cn, cc, cf, co, cs, ll, lm, lo, lt, lu, mc, me, mn, nd, nl, no, pc, pd, pe, pf, pi, po, ps, sc, sk, sm, so, zl, zp, zs,
};
// clang-format on

using CategorySet = uint32_t;  // bit i is category i

template <class... Categories>
[[nodiscard]] constexpr CategorySet categories(Categories... members) noexcept {
  return ((CategorySet{1} << static_cast<unsigned>(members)) | ...);
}

inline constexpr CategorySet kLetter =
    categories(Category::ll, Category::lm, Category::lo, Category::lt, Category::lu);
inline constexpr CategorySet kMark = categories(Category::mc, Category::me, Category::mn);
inline constexpr CategorySet kNumber = categories(Category::nd, Category::nl, Category::no);
inline constexpr CategorySet kPunctuation = categories(Category::pc, Category::pd, Category::pe, Category::pf,
                                                       Category::pi, Category::po, Category::ps);
inline constexpr CategorySet kSymbol = categories(Category::sc, Category::sk, Category::sm, Category::so);
inline constexpr CategorySet kSeparator = categories(Category::zl, Category::zp, Category::zs);

extern const std::array<uint8_t, 0x10000> kLowCategories;  // of the first 65,536 code points
[[nodiscard]] Category high_category(char32_t code) noexcept;

// A byte that is no character (kRawByte) is a symbol, as U+FFFD is.
[[nodiscard]] inline Category category(char32_t code) noexcept {
  return code < 0x10000 ? static_cast<Category>(kLowCategories[code]) : high_category(code);
}

[[nodiscard]] inline bool is_in(char32_t code, CategorySet set) noexcept {
  return (CategorySet{1} << static_cast<unsigned>(category(code)) & set) != 0;
}

// Unicode's White_Space property.
[[nodiscard]] inline bool is_space(char32_t code) noexcept {
  if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13);
  return code == 0x85 || is_in(code, kSeparator);  // the rest of White_Space is the category Z
}

[[nodiscard]] inline bool is_ascii_punctuation(char32_t code) noexcept {
  return (code >= 0x21 && code <= 0x2F) || (code >= 0x3A && code <= 0x40) || (code >= 0x5B && code <= 0x60) ||
         (code >= 0x7B && code <= 0x7E);
}

// One code point for one: İ stays, having two.
[[nodiscard]] char32_t lowercase(char32_t code) noexcept;
[[nodiscard]] std::string to_lowercase(std::string_view text);

}  // namespace linnet
