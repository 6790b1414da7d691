#include "base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace linnet {
namespace {

struct Lead {
  size_t bytes;       // of the whole character; 0 if the byte leads none
  uint8_t low, high;  // range of the second byte, which excludes overlong forms, surrogates and > U+10FFFF
};

[[nodiscard]] Lead lead_of(uint8_t byte) noexcept {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Utf8Character first_character(std::string_view text) noexcept {
  const Lead lead = lead_of(static_cast<uint8_t>(text[0]));
  if (lead.bytes == 0) return {Utf8State::invalid, 1};
  for (size_t i = 1; i < lead.bytes; ++i) {
    if (i == text.size()) return {Utf8State::truncated, i};
    const auto byte = static_cast<uint8_t>(text[i]);
    const bool fits = i == 1 ? byte >= lead.low && byte <= lead.high : byte >= 0x80 && byte <= 0xBF;
    if (!fits) return {Utf8State::invalid, 1};
  }
  return {Utf8State::complete, lead.bytes};
}

CodePoint decode_long(std::string_view text) noexcept {
  const Utf8Character character = first_character(text);
  const auto byte = [&](size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  if (character.state != Utf8State::complete) return {kRawByte + byte(0), 1};
  switch (character.bytes) {
    case 2:
      return {(byte(0) & 0x1F) << 6 | (byte(1) & 0x3F), 2};
    case 3:
      return {(byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
    case 4:
      return {(byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4};
    default:
      return {byte(0), 1};
  }
}

CodePoint decode_last(std::string_view text) noexcept {
  for (size_t bytes = std::min<size_t>(4, text.size()); bytes > 1; --bytes) {
    const CodePoint last = decode(text.substr(text.size() - bytes));
    if (last.bytes == bytes) return last;
  }
  return decode(text.substr(text.size() - 1));
}

void append_utf8(char32_t code, std::string& into) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    into += static_cast<char>(code);
  } else if (code < 0x800) {
    into += static_cast<char>(0xC0 | code >> 6);
    into += tail(0);
  } else if (code < 0x10000) {
    into += static_cast<char>(0xE0 | code >> 12);
    into += tail(6);
    into += tail(0);
  } else if (code < kRawByte) {
    into += static_cast<char>(0xF0 | code >> 18);
    into += tail(12);
    into += tail(6);
    into += tail(0);
  } else {
    into += static_cast<char>(code - kRawByte);
  }
}

bool is_ascii(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char byte) { return static_cast<signed char>(byte) >= 0; });
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (character.state != Utf8State::complete) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

std::string take_utf8(std::string& bytes, bool final) {
  std::string result;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const Utf8Character character = first_character(rest);
    if (character.state == Utf8State::complete) {
      result += rest.substr(0, character.bytes);
      rest.remove_prefix(character.bytes);
    } else if (character.state == Utf8State::truncated && !final) {
      break;
    } else {
      result += kReplacementCharacter;
      rest.remove_prefix(1);
    }
  }
  bytes.erase(0, bytes.size() - rest.size());
  return result;
}

}  // namespace linnet
