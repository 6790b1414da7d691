#include "text/word_scanner.h"

#include <array>
#include <cstdint>

#include "base/utf8.h"
#include "text/unicode.h"

namespace linnet {
namespace {

enum class Class : uint8_t { letter, number, space, other, end };

[[nodiscard]] constexpr std::array<Class, 128> ascii_classes() {
  std::array<Class, 128> classes{};
  for (int i = 0; i < 128; ++i) {
    const bool letter = (i >= 'a' && i <= 'z') || (i >= 'A' && i <= 'Z');
    const bool space = i == ' ' || (i >= 9 && i <= 13);
    classes[static_cast<size_t>(i)] = letter                 ? Class::letter
                                      : i >= '0' && i <= '9' ? Class::number
                                      : space                ? Class::space
                                                             : Class::other;
  }
  return classes;
}

constexpr std::array<Class, 128> kAsciiClasses = ascii_classes();

struct Seen {
  Class kind;
  uint32_t bytes;
};

[[nodiscard]] Seen look(std::string_view text, size_t at) noexcept {
  if (at >= text.size()) return {Class::end, 0};
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 128) return {kAsciiClasses[byte], 1};
  const CodePoint code = decode_long(text.substr(at));
  const Class kind = is_in(code.value, kLetter)   ? Class::letter
                     : is_in(code.value, kNumber) ? Class::number
                     : is_space(code.value)       ? Class::space
                                                  : Class::other;
  return {kind, code.bytes};
}

// The end of the characters of one class that begin at `at`.
[[nodiscard]] size_t run_end(std::string_view text, size_t at, Class kind) noexcept {
  const auto is_plain = [&](char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return value < kAsciiClasses.size() && kAsciiClasses[value] == kind;
  };
  while (at < text.size() && is_plain(text[at])) ++at;
  for (Seen seen = look(text, at); seen.kind == kind; seen = look(text, at)) at += seen.bytes;
  return at;
}

[[nodiscard]] bool is_newline(char byte) noexcept {
  return byte == '\n' || byte == '\r';
}

[[nodiscard]] size_t newlines_end(std::string_view text, size_t at) noexcept {
  while (at < text.size() && is_newline(text[at])) ++at;
  return at;
}

// 's 't 're 've 'm 'll 'd after the apostrophe at `at`; 0 if there is none.
[[nodiscard]] size_t contraction_end(std::string_view text, size_t at, bool any_case) noexcept {
  const auto letter = [&](size_t i) -> char {
    if (i >= text.size()) return '\0';
    return any_case ? static_cast<char>(lowercase(static_cast<unsigned char>(text[i]) & 0x7F)) : text[i];
  };
  const bool ascii = at + 1 < text.size() && static_cast<signed char>(text[at + 1]) >= 0;
  if (!ascii) return any_case && text.substr(at + 1).starts_with("\u017F") ? at + 3 : 0;  // ſ is an s
  const char first = letter(at + 1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
  if (at + 2 >= text.size() || static_cast<signed char>(text[at + 2]) < 0) return 0;
  const char second = letter(at + 2);
  const bool pair = ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l');
  return pair ? at + 3 : 0;
}

// \s+(?!\S)|\s+ : all the white space if the text ends after it, else all but its last character.
[[nodiscard]] size_t spaces_end(std::string_view text, size_t at) noexcept {
  size_t last = at;
  size_t end = at;
  for (Seen seen = look(text, end); seen.kind == Class::space; seen = look(text, end)) {
    last = end;
    end += seen.bytes;
  }
  return end == text.size() || last == at ? end : last;
}

// \s*[\r\n]+ : up to the last line break of the white space; 0 if it has none.
[[nodiscard]] size_t last_newline_end(std::string_view text, size_t at) noexcept {
  size_t result = 0;
  for (Seen seen = look(text, at); seen.kind == Class::space; seen = look(text, at)) {
    at += seen.bytes;
    if (is_newline(text[at - 1])) result = at;
  }
  return result;
}

[[nodiscard]] size_t scan_with_newlines(std::string_view text, size_t at, int most_digits) noexcept {
  if (text[at] == '\'') {
    if (const size_t end = contraction_end(text, at, true)) return end;
  }
  const Seen first = look(text, at);
  if (first.kind == Class::letter) return run_end(text, at, Class::letter);
  const size_t second = at + first.bytes;
  if (first.kind == Class::number) {
    size_t end = second;
    for (int count = 1; count < most_digits; ++count) {
      const Seen digit = look(text, end);
      if (digit.kind != Class::number) break;
      end += digit.bytes;
    }
    return end;
  }
  const Seen next = look(text, second);
  if (next.kind == Class::letter && !is_newline(text[at])) return run_end(text, second, Class::letter);
  if (first.kind == Class::other) return newlines_end(text, run_end(text, at, Class::other));
  if (text[at] == ' ' && next.kind == Class::other)
    return newlines_end(text, run_end(text, second, Class::other));
  const size_t lines = last_newline_end(text, at);
  return lines != 0 ? lines : spaces_end(text, at);
}

}  // namespace

size_t scan_gpt2(std::string_view text, size_t at) noexcept {
  if (text[at] == '\'') {
    if (const size_t end = contraction_end(text, at, false)) return end;
  }
  const Seen first = look(text, at);
  if (first.kind != Class::space) return run_end(text, at, first.kind);
  if (text[at] == ' ') {
    const Seen next = look(text, at + 1);
    if (next.kind != Class::space && next.kind != Class::end) return run_end(text, at + 1, next.kind);
  }
  return spaces_end(text, at);
}

size_t scan_llama3(std::string_view text, size_t at) noexcept {
  return scan_with_newlines(text, at, 3);
}
size_t scan_qwen2(std::string_view text, size_t at) noexcept {
  return scan_with_newlines(text, at, 1);
}

}  // namespace linnet
