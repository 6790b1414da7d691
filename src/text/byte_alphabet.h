// GPT-2's way to write bytes as printable characters, in which byte-level vocabularies are stored: a space is
// Ġ, a line feed Ċ. We merge bytes; the alphabet is needed to read vocabularies and for pre-tokenizers that
// follow ByteLevel and so see it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace linnet {

// The character that stands for each byte, below U+0144.
extern const std::array<char32_t, 256> kByteCharacters;

[[nodiscard]] std::string to_byte_alphabet(std::string_view bytes);
// Nothing if a character stands for no byte.
[[nodiscard]] std::optional<std::string> from_byte_alphabet(std::string_view text);

}  // namespace linnet
