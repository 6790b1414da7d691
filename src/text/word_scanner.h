// The patterns that most byte-level models split words with, by hand: a general matcher is some ten times
// slower. Every position begins a word, so a scan says only where it ends.
#pragma once

#include <cstddef>
#include <string_view>

namespace linnet {

inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// The end of the word that begins at `at`, which is inside the text.
[[nodiscard]] size_t scan_gpt2(std::string_view text, size_t at) noexcept;
[[nodiscard]] size_t scan_llama3(std::string_view text, size_t at) noexcept;
[[nodiscard]] size_t scan_qwen2(std::string_view text, size_t at) noexcept;

}  // namespace linnet
