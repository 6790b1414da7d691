#include "base/quoted.h"

#include <gtest/gtest.h>

namespace linnet {
namespace {

TEST(Quoted, TextStaysAsItIs) {
  EXPECT_EQ(escaped("naïve 東京 🙂 C:\\x 'a' \"b\""), "naïve 東京 🙂 C:\\x 'a' \"b\"");
  EXPECT_EQ(escaped(""), "");
  EXPECT_EQ(quoted_name("blk.0.weight"), "'blk.0.weight'");
}

TEST(Quoted, WhatATerminalWouldObeyIsWrittenOut) {
  EXPECT_EQ(escaped("\x1B[31m\r\n\t\x7F"), "\\x1B[31m\\x0D\\n\\t\\x7F");
  EXPECT_EQ(escaped("\u009B1m"), "\\u{009B}1m") << "a control sequence in one character";
  EXPECT_EQ(escaped("a\u202Eb\u2066c\u200Ed\u061Ce\uFEFFf\u2028g"),
            "a\\u{202E}b\\u{2066}c\\u{200E}d\\u{061C}e\\u{FEFF}f\\u{2028}g");
}

TEST(Quoted, BytesThatAreNoTextAreWrittenOut) {
  EXPECT_EQ(escaped("a\xFF\xC3"), "a\\xFF\\xC3");
  EXPECT_EQ(escaped("\xED\xA0\x80"), "\\xED\\xA0\\x80") << "half of a surrogate pair";
  EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\x00");
}

TEST(Quoted, LongNamesAreCutBetweenCharacters) {
  EXPECT_EQ(escaped("ééé", 2), "éé…");
  EXPECT_EQ(escaped("éé", 2), "éé");
  EXPECT_EQ(escaped("\n\n", 1), "\\n…");
  const auto repeated = [](int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += "東";
    return text;
  };
  EXPECT_EQ(quoted_name(repeated(80)), "'" + repeated(80) + "'");
  EXPECT_EQ(quoted_name(repeated(81)), "'" + repeated(80) + "…'");
}

TEST(Quoted, ExactQuotesTellTextsApart) {
  EXPECT_EQ(quoted_exactly("a\"b\\n"), "\"a\\\"b\\\\n\"");
  EXPECT_EQ(quoted_exactly("\n"), "\"\\n\"");
  EXPECT_NE(quoted_exactly("\xFF"), quoted_exactly("\\xFF"));
  EXPECT_EQ(quoted_exactly(std::string(500, 'x')), "\"" + std::string(500, 'x') + "\"");
}

}  // namespace
}  // namespace linnet
