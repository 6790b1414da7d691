// Kinds of characters that known pre-tokenizers split at, with the patterns that they are written as.
#pragma once

#include <string_view>

namespace linnet {

[[nodiscard]] bool is_line_break(char32_t code) noexcept;       // \r and \n
[[nodiscard]] bool is_white_space(char32_t code) noexcept;      // \s
[[nodiscard]] bool is_letter(char32_t code) noexcept;           // \p{L}
[[nodiscard]] bool is_number(char32_t code) noexcept;           // \p{N}
[[nodiscard]] bool is_punctuation(char32_t code) noexcept;      // \p{P}
[[nodiscard]] bool is_any_punctuation(char32_t code) noexcept;  // \p{P} and ASCII's symbols, as BERT has it
// llama.cpp's default and Falcon: [\p{P}\$\+<=>\^~\|]; Falcon's has the back quote as well.
[[nodiscard]] bool is_default_punctuation(char32_t code) noexcept;
[[nodiscard]] bool is_falcon_punctuation(char32_t code) noexcept;
// Alphabetic, mark, decimal digit, connector or joiner: \w as Rust's regex has it.
[[nodiscard]] bool is_word(char32_t code) noexcept;

// DeepSeek's: letters of scripts with case, CJK, and ASCII and CJK punctuation.
[[nodiscard]] bool is_deepseek_alphabet(char32_t code) noexcept;
[[nodiscard]] bool is_deepseek_cjk(char32_t code) noexcept;
[[nodiscard]] bool is_deepseek_punctuation(char32_t code) noexcept;
extern const std::string_view kAlphabetPattern;
inline constexpr std::string_view kCjkPattern = "[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+";
inline constexpr std::string_view kAsianPunctuationPattern =
    "\\s?[!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]+";

}  // namespace linnet
