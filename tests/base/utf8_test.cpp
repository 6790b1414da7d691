// UTF-8 against the well-formed sequences of Unicode's table 3-7.
#include "base/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace linnet {
namespace {

[[nodiscard]] std::string utf8_of(uint32_t code) {
  const auto byte = [](uint32_t value) { return static_cast<char>(value); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F))};
  if (code < 0x10000)
    return {byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))};
  return {byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)), byte(0x80 | (code >> 6 & 0x3F)),
          byte(0x80 | (code & 0x3F))};
}

TEST(Utf8, EveryCodePointIsOneCharacterAndSurrogatesAreNone) {
  for (uint32_t code = 0; code < 0x110000; ++code) {
    const std::string text = utf8_of(code);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    const Utf8Character character = first_character(text);
    ASSERT_EQ(character.state, surrogate ? Utf8State::invalid : Utf8State::complete) << code;
    ASSERT_EQ(character.bytes, surrogate ? 1 : text.size()) << code;
  }
}

TEST(Utf8, EveryProperBeginningOfACharacterIsTruncated) {
  for (const std::string text : {"ä", "▁", "🦙", "\xF4\x8F\xBF\xBF", "\xE0\xA0\x80"}) {
    for (size_t size = 1; size < text.size(); ++size) {
      const Utf8Character character = first_character(text.substr(0, size));
      EXPECT_EQ(character.state, Utf8State::truncated);
      EXPECT_EQ(character.bytes, size);
    }
  }
}

TEST(Utf8, OverlongFormsAndValuesBeyondTheRangeAreInvalid) {
  for (const char* text :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\x80", "\xC3(", "\xE2\x96(", "\xED\xA0\x80"}) {
    EXPECT_EQ(first_character(text).state, Utf8State::invalid) << testing::PrintToString(std::string(text));
    EXPECT_FALSE(is_utf8(text));
  }
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("aä▁🦙"));
}

TEST(Utf8, TakingKeepsTheBeginningOfACharacterUnlessTheTextEnds) {
  std::string bytes = "a\xF0\x9F\xA6";
  EXPECT_EQ(take_utf8(bytes, false), "a");
  EXPECT_EQ(bytes, "\xF0\x9F\xA6");
  bytes += "\x99!";
  EXPECT_EQ(take_utf8(bytes, false), "🦙!");
  bytes = "b\xF0\x9F";
  EXPECT_EQ(take_utf8(bytes, true), "b\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_TRUE(bytes.empty());
}

TEST(Utf8, TakingReplacesEachByteThatBelongsToNoCharacter) {
  std::string bytes = "\xFF\xE2\x96x";
  EXPECT_EQ(take_utf8(bytes, false), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx");
}

}  // namespace
}  // namespace linnet
