// Streaming text out of tokens: whole characters only, the added space dropped once, control tokens silent.
#include "text/detokenizer.h"

#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"
#include "text/sentencepiece_bpe.h"
#include "text/small_vocabulary.h"

namespace linnet {
namespace {

using test::english_vocabulary;
using test::SmallVocabulary;

class DetokenizerTest : public testing::Test {
 protected:
  [[nodiscard]] Token id(const char* text) const { return tokenizer_.vocabulary().find(text).value(); }
  [[nodiscard]] static Token byte(unsigned value) { return SmallVocabulary::byte(value); }

  const SentencePieceBpe tokenizer_{english_vocabulary().metadata()};
};

TEST_F(DetokenizerTest, GivesACharacterOutOnlyWhenItsLastByteHasCome) {
  Detokenizer detokenizer(tokenizer_);
  EXPECT_EQ(detokenizer.push(id("▁a")), "a");
  EXPECT_EQ(detokenizer.push(byte(0xF0)), "");
  EXPECT_EQ(detokenizer.push(byte(0x9F)), "");
  EXPECT_EQ(detokenizer.push(byte(0xA6)), "");
  EXPECT_EQ(detokenizer.push(byte(0x99)), "🦙");
  EXPECT_EQ(detokenizer.finish(), "");
}

TEST_F(DetokenizerTest, ABrokenCharacterBecomesReplacementCharactersAtOnce) {
  Detokenizer detokenizer(tokenizer_);
  EXPECT_EQ(detokenizer.push(byte(0xE2)), "");
  EXPECT_EQ(detokenizer.push(byte(0x82)), "");
  EXPECT_EQ(detokenizer.push(id("a")), "\uFFFD\uFFFDa");
  EXPECT_EQ(detokenizer.push(byte(0xFF)), "\uFFFD");
}

TEST_F(DetokenizerTest, FinishReplacesWhatNeverBecameACharacterAndBeginsAnew) {
  Detokenizer detokenizer(tokenizer_);
  EXPECT_EQ(detokenizer.push(byte(0xF0)), "");
  EXPECT_EQ(detokenizer.push(byte(0x9F)), "");
  EXPECT_EQ(detokenizer.finish(), "\uFFFD\uFFFD");
  EXPECT_EQ(detokenizer.finish(), "");
  EXPECT_EQ(detokenizer.push(id("▁the")), "the");
}

TEST_F(DetokenizerTest, DropsTheAddedSpaceOnceAndOnlyAtTheStart) {
  EXPECT_EQ(detokenize(tokenizer_, std::vector<Token>{id("▁the"), id("▁the")}), "the the");
  EXPECT_EQ(detokenize(tokenizer_, std::vector<Token>{id("▁▁"), id("▁the")}), "  the");
  EXPECT_EQ(detokenize(tokenizer_, std::vector<Token>{id("▁"), id("▁the")}), " the");
  EXPECT_EQ(detokenize(tokenizer_, std::vector<Token>{id("he"), id("▁the")}), "he the");
  EXPECT_EQ(detokenize(tokenizer_, std::vector<Token>{1, id("▁the")}), "the")
      << "after BOS the text still begins";
  EXPECT_EQ(detokenize(tokenizer_, std::vector<Token>{byte(' '), id("▁the")}), "  the");
}

TEST_F(DetokenizerTest, KeepsTheSpaceWhenTextCameBefore) {
  EXPECT_EQ(
      detokenize(tokenizer_, std::vector<Token>{id("▁the")}, {.continues_text = true, .show_control = false}),
      " the");
}

TEST_F(DetokenizerTest, ControlTokensAreSilentUnlessAskedFor) {
  const std::vector<Token> tokens = {1, id("▁a"), id("<tool>"), id("<|end|>"), 0};
  EXPECT_EQ(detokenize(tokenizer_, tokens), "a<tool>");
  EXPECT_EQ(detokenize(tokenizer_, tokens, {.continues_text = false, .show_control = true}),
            "<s> a<tool><|end|><unk>");
}

TEST_F(DetokenizerTest, AControlTokenInsideACharacterDoesNotBreakIt) {
  Detokenizer detokenizer(tokenizer_);
  EXPECT_EQ(detokenizer.push(byte(0xC3)), "");
  EXPECT_EQ(detokenizer.push(2), "");
  EXPECT_EQ(detokenizer.push(byte(0xA4)), "ä");
}

TEST_F(DetokenizerTest, EveryPieceOfRandomTokensIsValidAndTheirSumIsTheWhole) {
  std::mt19937 random(5);
  for (int round = 0; round < 1000; ++round) {
    std::vector<Token> tokens(random() % 30);
    for (Token& token : tokens) token = static_cast<Token>(random() % tokenizer_.size());
    Detokenizer detokenizer(tokenizer_, {.continues_text = true, .show_control = false});
    std::string bytes;
    std::string streamed;
    for (const Token token : tokens) {
      const std::string piece = detokenizer.push(token);
      ASSERT_TRUE(is_utf8(piece));
      streamed += piece;
      if (tokenizer_.is_control(token)) continue;
      bytes += tokenizer_.piece(token);
    }
    streamed += detokenizer.finish();
    ASSERT_EQ(streamed, take_utf8(bytes, true));
  }
}

}  // namespace
}  // namespace linnet
