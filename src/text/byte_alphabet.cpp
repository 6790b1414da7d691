#include "text/byte_alphabet.h"

#include "base/utf8.h"

namespace linnet {
namespace {

constexpr size_t kAlphabetEnd = 0x144;

[[nodiscard]] constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

[[nodiscard]] constexpr std::array<char32_t, 256> byte_characters() {
  std::array<char32_t, 256> characters{};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) characters[byte] = stands_for_itself(byte) ? byte : next++;
  return characters;
}

[[nodiscard]] constexpr std::array<int16_t, kAlphabetEnd> character_bytes() {
  std::array<int16_t, kAlphabetEnd> bytes{};
  for (int16_t& byte : bytes) byte = -1;
  const std::array<char32_t, 256> characters = byte_characters();
  for (int16_t byte = 0; byte < 256; ++byte) bytes[characters[static_cast<size_t>(byte)]] = byte;
  return bytes;
}

constexpr std::array<int16_t, kAlphabetEnd> kCharacterBytes = character_bytes();

}  // namespace

constexpr std::array<char32_t, 256> kByteCharacters = byte_characters();

std::string to_byte_alphabet(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 2);
  for (const char byte : bytes) append_utf8(kByteCharacters[static_cast<unsigned char>(byte)], text);
  return text;
}

std::optional<std::string> from_byte_alphabet(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    const CodePoint code = decode(text);
    if (code.value >= kAlphabetEnd || kCharacterBytes[code.value] < 0) return std::nullopt;
    bytes += static_cast<char>(kCharacterBytes[code.value]);
    text.remove_prefix(code.bytes);
  }
  return bytes;
}

}  // namespace linnet
