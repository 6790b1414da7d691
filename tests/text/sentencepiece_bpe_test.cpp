// SentencePiece BPE on vocabularies small enough to merge by hand.
#include "text/sentencepiece_bpe.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "text/detokenizer.h"
#include "text/small_vocabulary.h"

namespace linnet {
namespace {

using test::english_vocabulary;
using test::SmallVocabulary;

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};

[[nodiscard]] std::vector<std::string> texts(const Tokenizer& tokenizer, std::string_view text,
                                             const EncodeOptions& options = kPlain) {
  std::vector<std::string> result;
  for (const Token token : tokenizer.encode(text, options))
    result.emplace_back(tokenizer.vocabulary().text(token));
  return result;
}

using Texts = std::vector<std::string>;

TEST(SentencePieceBpe, MergesByScoreAndPutsASpaceBeforeTheText) {
  const SentencePieceBpe tokenizer(english_vocabulary().metadata());
  // ▁t before ▁the: h and e join first (he outranks all but ▁t), then ▁t+he.
  EXPECT_EQ(texts(tokenizer, "the"), (Texts{"▁the"}));
  EXPECT_EQ(texts(tokenizer, "hello world"), (Texts{"▁hello", "▁", "wor", "ld"}));
  EXPECT_EQ(texts(tokenizer, ""), Texts{});
  EXPECT_EQ(texts(tokenizer, " "), (Texts{"▁▁"}));
}

TEST(SentencePieceBpe, OfEqualScoresTheLeftmostMergesFirst) {
  SmallVocabulary vocabulary;
  for (const char* text : {"▁", "a", "b", "c"}) vocabulary.add(text, -10.0f);
  vocabulary.add("ab", -1.0f);
  vocabulary.add("bc", -1.0f);
  vocabulary.add("aa", -1.0f);
  const SentencePieceBpe tokenizer(vocabulary.metadata());
  EXPECT_EQ(texts(tokenizer, "abc"), (Texts{"▁", "ab", "c"}));
  EXPECT_EQ(texts(tokenizer, "aaa"), (Texts{"▁", "aa", "a"}));
  EXPECT_EQ(texts(tokenizer, "aaab"), (Texts{"▁", "aa", "ab"}));
}

TEST(SentencePieceBpe, AStaleCandidateIsNotMerged) {
  // ab (best) takes b away from bc; abc is then possible only through ab+c.
  SmallVocabulary vocabulary;
  for (const char* text : {"▁", "a", "b", "c"}) vocabulary.add(text, -10.0f);
  vocabulary.add("ab", -1.0f);
  vocabulary.add("bc", -2.0f);
  vocabulary.add("abc", -3.0f);
  const SentencePieceBpe tokenizer(vocabulary.metadata());
  EXPECT_EQ(texts(tokenizer, "abc"), (Texts{"▁", "abc"}));
}

TEST(SentencePieceBpe, CharactersWithoutATokenBecomeBytes) {
  const SentencePieceBpe tokenizer(english_vocabulary().metadata());
  EXPECT_EQ(texts(tokenizer, "zä"), (Texts{"▁", "<0x7A>", "ä"}));
  EXPECT_EQ(texts(tokenizer, "€"), (Texts{"▁", "<0xE2>", "<0x82>", "<0xAC>"}));
}

TEST(SentencePieceBpe, BytesThatAreNoUtf8BecomeByteTokensOneByOne) {
  const SentencePieceBpe tokenizer(english_vocabulary().metadata());
  EXPECT_EQ(texts(tokenizer, "\xFF\xC3"), (Texts{"▁", "<0xFF>", "<0xC3>"}));
  EXPECT_EQ(texts(tokenizer, std::string_view("a\0b", 3)), (Texts{"▁a", "<0x00>", "b"}));
}

TEST(SentencePieceBpe, WithoutByteTokensAnUnknownCharacterIsOneUnknownToken) {
  Metadata metadata;
  metadata.set("tokenizer.ggml.model", std::string("llama"));
  metadata.set("tokenizer.ggml.tokens", MetadataArray(StringArray(std::vector<std::string>{"?", "▁", "a"})));
  metadata.set("tokenizer.ggml.scores", MetadataArray(std::vector<float>{0, -1, -2}));
  metadata.set("tokenizer.ggml.token_type", MetadataArray(std::vector<int32_t>{2, 1, 1}));
  metadata.set("tokenizer.ggml.add_bos_token", false);
  const SentencePieceBpe tokenizer(metadata);
  EXPECT_EQ(tokenizer.encode("a€"), (std::vector<Token>{1, 2, 0}));
  EXPECT_EQ(tokenizer.encode("?"), (std::vector<Token>{1, 0}))
      << "the unknown token's own text is unknown too";
}

TEST(SentencePieceBpe, ControlTokensAreParsedOnlyWhenAsked) {
  SmallVocabulary vocabulary = english_vocabulary();
  vocabulary.add("<", -50.0f);
  vocabulary.add("s>", -51.0f);  // with "<" this would merge into the control token's text
  const SentencePieceBpe tokenizer(vocabulary.metadata());
  EXPECT_EQ(texts(tokenizer, "a<s>a"), (Texts{"▁a", "<", "s>", "a"}));
  EXPECT_EQ(texts(tokenizer, "a<s>a", {.add_special = false, .parse_special = true}),
            (Texts{"▁a", "<s>", "▁a"}));
  EXPECT_EQ(texts(tokenizer, "<s><|end|>", {.add_special = false, .parse_special = true}),
            (Texts{"<s>", "<|end|>"}));
}

TEST(SentencePieceBpe, UserDefinedTokensAreAlwaysMatchedAsAWhole) {
  const SentencePieceBpe tokenizer(english_vocabulary().metadata());
  EXPECT_EQ(texts(tokenizer, "a<tool>the"), (Texts{"▁a", "<tool>", "▁the"}));
  EXPECT_EQ(texts(tokenizer, "<tool><tool"), (Texts{"<tool>", "▁", "<0x3C>", "t", "o", "o", "l"}));
}

TEST(SentencePieceBpe, TheLongestSpecialTokenWinsAtOnePlace) {
  SmallVocabulary vocabulary = english_vocabulary();
  vocabulary.add("<tool>s", 0.0f, TokenKind::user_defined);
  vocabulary.add("<to", 0.0f, TokenKind::user_defined);
  const SentencePieceBpe tokenizer(vocabulary.metadata());
  EXPECT_EQ(texts(tokenizer, "<tool>s<tool><tool"), (Texts{"<tool>s", "<tool>", "<to", "▁", "o", "l"}));
}

TEST(SentencePieceBpe, AddsBosAndEosWhereTheMetadataAsksForThem) {
  Metadata metadata = english_vocabulary().metadata();
  EXPECT_EQ(texts(SentencePieceBpe(metadata), "a", {}), (Texts{"<s>", "▁a"}));
  EXPECT_EQ(texts(SentencePieceBpe(metadata), "", {}), (Texts{"<s>"}));
  metadata.set("tokenizer.ggml.add_eos_token", true);
  metadata.set("tokenizer.ggml.add_bos_token", false);
  EXPECT_EQ(texts(SentencePieceBpe(metadata), "a", {}), (Texts{"▁a", "</s>"}));
}

TEST(SentencePieceBpe, TheSpaceBeforeTheTextCanBeSwitchedOff) {
  Metadata metadata = english_vocabulary().metadata();
  metadata.set("tokenizer.ggml.add_space_prefix", false);
  const SentencePieceBpe tokenizer(metadata);
  EXPECT_EQ(texts(tokenizer, "the"), (Texts{"t", "he"}));
  EXPECT_EQ(detokenize(tokenizer, tokenizer.encode(" the", kPlain)), " the");
}

TEST(SentencePieceBpe, PiecesAreTheBytesOfTheText) {
  const SentencePieceBpe tokenizer(english_vocabulary().metadata());
  const auto piece = [&](const char* text) { return tokenizer.piece(*tokenizer.vocabulary().find(text)); };
  EXPECT_EQ(piece("▁hello"), " hello");
  EXPECT_EQ(piece("<0xE2>"), "\xE2");
  EXPECT_EQ(piece("<0x00>"), std::string(1, '\0'));
  EXPECT_EQ(piece("</s>"), "</s>");
  EXPECT_EQ(piece("<tool>"), "<tool>");
  EXPECT_THROW((void)tokenizer.piece(-1), Error);
  EXPECT_THROW((void)tokenizer.piece(100000), Error);
}

// Steps, not time: the heap holds less than 3n candidates, so the cost is n log n.
TEST(SentencePieceBpe, TheWorkGrowsWithTheTextAndNotWithItsSquare) {
  const SentencePieceBpe tokenizer(english_vocabulary().metadata());
  constexpr size_t kMegabyte = 1 << 20;
  for (const std::string unit : {"a", " ", "hello world ", "🦙", "\xFF", "<tool", "<tool>"}) {
    std::string text;
    while (text.size() < kMegabyte) text += unit;
    EncodeWork work;
    const auto tokens = tokenizer.encode(text, kPlain, work);
    EXPECT_FALSE(tokens.empty());
    EXPECT_LT(work.lookups, 3 * text.size()) << unit;
    EXPECT_LT(work.candidates, 3 * text.size()) << unit;
  }
}

TEST(SentencePieceBpe, RandomTextsSurviveTokenizingAndBack) {
  const SentencePieceBpe tokenizer(english_vocabulary().metadata());
  const std::vector<std::string> parts = {"a",  "the", " ", "  ", "hello", "ä",  "🦙",
                                          "\n", "€",   "z", "▂",  "ll",    "\t", "world"};
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (size_t i = random() % 20; i > 0; --i) text += parts[random() % parts.size()];
    ASSERT_EQ(detokenize(tokenizer, tokenizer.encode(text, kPlain)), text);
    ASSERT_EQ(detokenize(tokenizer, tokenizer.encode(text)), text) << "with BOS";
  }
}

TEST(SentencePieceBpe, RandomBytesSurviveAsPieces) {
  const SentencePieceBpe tokenizer(english_vocabulary().metadata());
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    std::string bytes;
    for (size_t i = 1 + random() % 40; i > 0; --i) bytes += static_cast<char>(random() % 256);
    std::string back;
    for (const Token token : tokenizer.encode(bytes, kPlain)) back += tokenizer.piece(token);
    ASSERT_EQ(back, " " + bytes);
  }
}

}  // namespace
}  // namespace linnet
