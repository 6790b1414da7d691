#include "text/script_classes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "text/unicode.h"

namespace linnet {
namespace {

constexpr std::array<std::pair<char32_t, char32_t>, 87> kAlphabet = {
    {{0x41, 0x5A},       {0x61, 0x7A},       {0xB5, 0xB5},       {0xC0, 0xD6},       {0xD8, 0xF6},
     {0xF8, 0x1BA},      {0x1BC, 0x1BF},     {0x1C4, 0x293},     {0x295, 0x2AF},     {0x370, 0x373},
     {0x376, 0x376},     {0x377, 0x377},     {0x37B, 0x37D},     {0x37F, 0x37F},     {0x386, 0x386},
     {0x388, 0x38A},     {0x38C, 0x38C},     {0x38E, 0x3A1},     {0x3A3, 0x3F5},     {0x3F7, 0x481},
     {0x48A, 0x52F},     {0x531, 0x556},     {0x10A0, 0x10C5},   {0x13A0, 0x13F5},   {0x13F8, 0x13FD},
     {0x1C90, 0x1CBA},   {0x1CBD, 0x1CBF},   {0x1D00, 0x1D2B},   {0x1D6B, 0x1D77},   {0x1D79, 0x1D9A},
     {0x1E00, 0x1F15},   {0x1F18, 0x1F1D},   {0x1F20, 0x1F45},   {0x1F48, 0x1F4D},   {0x1F50, 0x1F57},
     {0x1F59, 0x1F59},   {0x1F5B, 0x1F5B},   {0x1F5D, 0x1F5D},   {0x1F5F, 0x1F7D},   {0x1F80, 0x1FB4},
     {0x1FB6, 0x1FBC},   {0x1FBE, 0x1FBE},   {0x1FC2, 0x1FC4},   {0x1FC6, 0x1FCC},   {0x1FD0, 0x1FD3},
     {0x1FD6, 0x1FDB},   {0x1FE0, 0x1FEC},   {0x1FF2, 0x1FF4},   {0x1FF6, 0x1FFC},   {0x2102, 0x2102},
     {0x2107, 0x2107},   {0x210A, 0x2113},   {0x2115, 0x2115},   {0x2119, 0x211D},   {0x2124, 0x2124},
     {0x2126, 0x2126},   {0x2128, 0x2128},   {0x212A, 0x212D},   {0x212F, 0x2134},   {0x2139, 0x2139},
     {0x213C, 0x213F},   {0x2145, 0x2149},   {0x214E, 0x214E},   {0x2183, 0x2183},   {0x2184, 0x2184},
     {0x2C00, 0x2C7B},   {0x2C7E, 0x2CE4},   {0x2CEB, 0x2CEE},   {0x2CF2, 0x2CF2},   {0x2CF3, 0x2CF3},
     {0xA640, 0xA66D},   {0xA680, 0xA69B},   {0xA722, 0xA76F},   {0xA771, 0xA787},   {0xA78B, 0xA78E},
     {0xAB70, 0xABBF},   {0xFB00, 0xFB06},   {0xFB13, 0xFB17},   {0xFF21, 0xFF3A},   {0xFF41, 0xFF5A},
     {0x10400, 0x1044F}, {0x104B0, 0x104D3}, {0x104D8, 0x104FB}, {0x10C80, 0x10CB2}, {0x10CC0, 0x10CF2},
     {0x118A0, 0x118DF}, {0x1E900, 0x1E943}}};

[[nodiscard]] constexpr bool between(char32_t code, char32_t first, char32_t last) noexcept {
  return code >= first && code <= last;
}

}  // namespace

const std::string_view kAlphabetPattern =
    "\\s?[A-Za-z\u00B5\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u01BA\u01BC-\u01BF\u01C4-\u0293\u0295-\u02AF"
    "\u0370-\u0373\u0376\u0377\u037B-\u037D\u037F\u0386\u0388-\u038A\u038C\u038E-\u03A1\u03A3-\u03F5"
    "\u03F7-\u0481\u048A-\u052F\u0531-\u0556\u10A0-\u10C5\u13A0-\u13F5\u13F8-\u13FD\u1C90-\u1CBA\u1CBD-"
    "\u1CBF\u1D00-\u1D2B\u1D6B-\u1D77\u1D79-\u1D9A\u1E00-\u1F15\u1F18-\u1F1D\u1F20-\u1F45\u1F48-\u1F4D"
    "\u1F50-\u1F57\u1F59\u1F5B\u1F5D\u1F5F-\u1F7D\u1F80-\u1FB4\u1FB6-\u1FBC\u1FBE\u1FC2-\u1FC4\u1FC6-"
    "\u1FCC\u1FD0-\u1FD3\u1FD6-\u1FDB\u1FE0-\u1FEC\u1FF2-\u1FF4\u1FF6-\u1FFC\u2102\u2107\u210A-\u2113"
    "\u2115\u2119-\u211D\u2124\u2126\u2128\u212A-\u212D\u212F-\u2134\u2139\u213C-\u213F\u2145-\u2149"
    "\u214E\u2183\u2184\u2C00-\u2C7B\u2C7E-\u2CE4\u2CEB-\u2CEE\u2CF2\u2CF3\uA640-\uA66D\uA680-\uA69B"
    "\uA722-\uA76F\uA771-\uA787\uA78B-\uA78E\uAB70-\uABBF\uFB00-\uFB06\uFB13-\uFB17\uFF21-\uFF3A\uFF41-"
    "\uFF5A\U00010400-\U0001044F\U000104B0-\U000104D3\U000104D8-\U000104FB\U00010C80-\U00010CB2\U00010CC0"
    "-\U00010CF2\U000118A0-\U000118DF\U0001E900-\U0001E943]+";

bool is_line_break(char32_t code) noexcept {
  return code == '\r' || code == '\n';
}
bool is_white_space(char32_t code) noexcept {
  return is_space(code);
}
bool is_letter(char32_t code) noexcept {
  return is_in(code, kLetter);
}
bool is_number(char32_t code) noexcept {
  return is_in(code, kNumber);
}
bool is_punctuation(char32_t code) noexcept {
  return is_in(code, kPunctuation);
}

bool is_any_punctuation(char32_t code) noexcept {
  return is_ascii_punctuation(code) || (code >= 0x80 && is_punctuation(code));
}

bool is_default_punctuation(char32_t code) noexcept {
  constexpr std::u32string_view kAlso = U"$+<=>^~|";
  return is_punctuation(code) || kAlso.find(code) != std::u32string_view::npos;
}

bool is_falcon_punctuation(char32_t code) noexcept {
  return code == '`' || is_default_punctuation(code);
}

bool is_word(char32_t code) noexcept {
  constexpr CategorySet kWord = kLetter | kMark | categories(Category::nd, Category::nl, Category::pc);
  // Circled and squared letters are symbols, but alphabetic.
  return is_in(code, kWord) || code == 0x200C || code == 0x200D || between(code, 0x24B6, 0x24E9) ||
         between(code, 0x1F130, 0x1F149) || between(code, 0x1F150, 0x1F169) ||
         between(code, 0x1F170, 0x1F189);
}

bool is_deepseek_alphabet(char32_t code) noexcept {
  if (code < 128) return between(code, 'A', 'Z') || between(code, 'a', 'z');
  const auto after = std::upper_bound(kAlphabet.begin(), kAlphabet.end(), code,
                                      [](char32_t value, const auto& range) { return value < range.first; });
  return after != kAlphabet.begin() && code <= std::prev(after)->second;
}

bool is_deepseek_cjk(char32_t code) noexcept {
  return between(code, 0x800, 0x9FA5) || between(code, 0xAC00, 0xD7FF);
}

bool is_deepseek_punctuation(char32_t code) noexcept {
  return between(code, '!', '/') || between(code, ':', '~') || between(code, 0xFF01, 0xFF0F) ||
         between(code, 0xFF1A, 0xFF5E) || between(code, 0x2018, 0x201F) || between(code, 0x3000, 0x3002);
}

}  // namespace linnet
