// Categories, case and normalization forms. The fixtures of Hugging Face's tokenizers try the forms on whole
// texts.
#include "text/unicode.h"

#include <gtest/gtest.h>

#include <random>

#include "text/normalization.h"

namespace linnet {
namespace {

TEST(Unicode, KnowsCategoriesInsideAndOutsideOfTheBasicPlane) {
  EXPECT_EQ(category('a'), Category::ll);
  EXPECT_EQ(category(U'Ä'), Category::lu);
  EXPECT_EQ(category(U'中'), Category::lo);
  EXPECT_EQ(category(0x301), Category::mn);
  EXPECT_EQ(category(U'²'), Category::no);
  EXPECT_EQ(category(U'Ⅷ'), Category::nl);
  EXPECT_EQ(category(0x3000), Category::zs);
  EXPECT_EQ(category(0x378), Category::cn);
  EXPECT_EQ(category(0x1F642), Category::so);
  EXPECT_EQ(category(0x20000), Category::lo);
  EXPECT_EQ(category(0x10FFFD), Category::co);
  EXPECT_EQ(category(0x10FFFF), Category::cn);
  EXPECT_EQ(category(kRawByte + 0xFF), Category::so);
}

TEST(Unicode, WhiteSpaceIsUnicodesProperty) {
  std::vector<char32_t> spaces;
  for (char32_t code = 0; code < kRawByte; ++code)
    if (is_space(code)) spaces.push_back(code);
  EXPECT_EQ(spaces,
            (std::vector<char32_t>{9,      10,     11,     12,     13,     32,     0x85,   0xA0,   0x1680,
                                   0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                   0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}));
}

TEST(Unicode, LowercasesOneCharacterAtATime) {
  EXPECT_EQ(to_lowercase("ÀÉ ΑΣ ЖЯ Ǆǅ Ⱥ ẞ İ K Ω 𐐀 aß1"), "àé ασ жя ǆǆ ⱥ ß i̇ k ω 𐐨 aß1");
  EXPECT_EQ(to_lowercase("\xFFÄ\xC3"), "\xFFä\xC3");
  size_t with_case = 0;
  for (char32_t code = 0; code < kRawByte; ++code) with_case += lowercase(code) != code ? 1 : 0;
  EXPECT_EQ(with_case, 1432u) << "of Unicode 14, İ left out";
}

TEST(Normalization, ComposesAndDecomposes) {
  EXPECT_EQ(normalize("é", NormalForm::nfd), "e\u0301");
  EXPECT_EQ(normalize("e\u0301", NormalForm::nfc), "é");
  EXPECT_EQ(normalize("각", NormalForm::nfd), "\u1100\u1161\u11A8");
  EXPECT_EQ(normalize("\u1100\u1161\u11A8", NormalForm::nfc), "각");
  EXPECT_EQ(normalize("가\u11A8", NormalForm::nfc), "각");
  EXPECT_EQ(normalize("ﬁ²ｶﾞ", NormalForm::nfkc), "fi2ガ");
  EXPECT_EQ(normalize("ﬁ", NormalForm::nfc), "ﬁ");
  EXPECT_EQ(normalize("\uFDFA", NormalForm::nfkd).size(), 33u);
  EXPECT_EQ(normalize("\u0958", NormalForm::nfc), "\u0915\u093C") << "a composition that is excluded";
  EXPECT_EQ(normalize("\u212B", NormalForm::nfc), "Å");
}

TEST(Normalization, OrdersMarksByTheirClassAndKeepsThoseOfOneClass) {
  EXPECT_EQ(normalize("e\u0301\u0316", NormalForm::nfd), "e\u0316\u0301");
  EXPECT_EQ(normalize("e\u0301\u0300", NormalForm::nfd), "e\u0301\u0300");
  EXPECT_EQ(normalize("a\u0315\u0300\u05AE\u0062", NormalForm::nfc), "à\u05AE\u0315b");
}

TEST(Normalization, BytesThatAreNoTextStayAndNothingJoinsAcrossThem) {
  EXPECT_EQ(normalize("e\xFF\u0301", NormalForm::nfc), "e\xFF\u0301");
  EXPECT_EQ(normalize("\xC3", NormalForm::nfkc), "\xC3");
}

TEST(Normalization, FormsAreStableAndReachableFromOneAnother) {
  std::mt19937 random(4);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (size_t i = random() % 12; i > 0; --i) {
      constexpr char32_t kBases[] = {0x41,  0xC0,   0x300,  0x316,  0x1100, 0xAC00,
                                     0x915, 0x1E00, 0x3040, 0xFB00, 0x1D160};
      append_utf8(kBases[random() % std::size(kBases)] + random() % 64, text);
    }
    const std::string nfc = normalize(text, NormalForm::nfc);
    const std::string nfd = normalize(text, NormalForm::nfd);
    const std::string nfkc = normalize(text, NormalForm::nfkc);
    EXPECT_EQ(normalize(nfc, NormalForm::nfc), nfc);
    EXPECT_EQ(normalize(nfd, NormalForm::nfc), nfc);
    EXPECT_EQ(normalize(nfc, NormalForm::nfd), nfd);
    EXPECT_EQ(normalize(nfc, NormalForm::nfkc), nfkc);
    EXPECT_EQ(normalize(nfkc, NormalForm::nfkd), normalize(text, NormalForm::nfkd));
  }
}

// A million marks: sorting them pair by pair would take hours.
TEST(Normalization, ManyMarksInARowTakeNoLongerThanOtherText) {
  std::string text = "a";
  for (int i = 0; i < 500000; ++i) text += "\u0301\u0316";
  EXPECT_EQ(normalize(text, NormalForm::nfc).size(), text.size() - 1);
}

}  // namespace
}  // namespace linnet
