// BPE, WordPiece and unigram on vocabularies small enough to work out by hand, and against their slow
// versions.
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "text/model_checks.h"
#include "text/word_cache.h"
#include "text/word_level.h"

namespace linnet {
namespace {

using test::encoded;
using Texts = std::vector<std::string>;

[[nodiscard]] Texts texts(const WordModel& model, const Vocabulary& vocabulary, std::string_view word) {
  Texts result;
  for (const Token token : encoded(model, word)) result.emplace_back(vocabulary.text(token));
  return result;
}

[[nodiscard]] std::string random_word(std::mt19937& random, size_t most, bool any_bytes) {
  constexpr std::string_view kParts[] = {"a", "b", "c", "ä", "a", "b", "z", "aa", "ab", " ", "▁", "🙂"};
  std::string word;
  for (size_t i = random() % most; i > 0; --i) {
    if (any_bytes && random() % 8 == 0) {
      word += static_cast<char>(random() % 256);
    } else {
      word += kParts[random() % std::size(kParts)];
    }
  }
  return word;
}

TEST(Bpe, MergesTheLowestRankFirstAndTheLeftmostOfEqualOnes) {
  const test::SmallBpe bpe = test::small_byte_bpe();
  EXPECT_EQ(texts(*bpe.model, bpe.vocabulary, "aba"), (Texts{"aba"}));
  EXPECT_EQ(texts(*bpe.model, bpe.vocabulary, "aaa"), (Texts{"aa", "a"}));
  EXPECT_EQ(texts(*bpe.model, bpe.vocabulary, "bc"), (Texts{"bc"}));
  EXPECT_EQ(texts(*bpe.model, bpe.vocabulary, "abc"), (Texts{"ab", "c"})) << "ab takes b away from bc";
  EXPECT_EQ(texts(*bpe.model, bpe.vocabulary, " ab"), (Texts{"Ġ", "ab"})) << "Ġa comes too late";
}

TEST(Bpe, AWordThatIsATokenIsItOnlyIfMergesLeadThere) {
  const test::SmallBpe bpe = test::small_byte_bpe();
  EXPECT_EQ(texts(*bpe.model, bpe.vocabulary, "zab"), (Texts{"z", "ab"}));
  EXPECT_EQ(texts(*bpe.model, bpe.vocabulary, "zab"), (Texts{"z", "ab"})) << "also when asked again";
  const test::SmallBpe ignoring = test::small_byte_bpe(true);
  EXPECT_EQ(texts(*ignoring.model, ignoring.vocabulary, "zab"), (Texts{"zab"}));
  EXPECT_EQ(texts(*ignoring.model, ignoring.vocabulary, "zabz"), (Texts{"z", "ab", "z"}));
}

TEST(Bpe, CharactersWithoutATokenBecomeBytesOrUnknown) {
  const test::SmallBpe bytes = test::small_character_bpe(true);
  EXPECT_EQ(texts(*bytes.model, bytes.vocabulary, "aé"), (Texts{"a", "<0xC3>", "<0xA9>"}));
  EXPECT_EQ(texts(*bytes.model, bytes.vocabulary, "\xFF"), (Texts{"<0xFF>"}));
  const test::SmallBpe unknown = test::small_character_bpe(false);
  EXPECT_EQ(texts(*unknown.model, unknown.vocabulary, "aézb"), (Texts{"a", "<unk>", "<unk>", "b"}));
  const test::SmallBpe fused = test::small_character_bpe(false, true);
  EXPECT_EQ(texts(*fused.model, fused.vocabulary, "aézb"), (Texts{"a", "<unk>", "b"}));
}

TEST(Bpe, MarksSayWhereInAWordASymbolStands) {
  const test::SmallBpe bpe = test::small_marked_bpe();
  EXPECT_EQ(texts(*bpe.model, bpe.vocabulary, "a"), (Texts{"a</w>"}));
  EXPECT_EQ(texts(*bpe.model, bpe.vocabulary, "ab"), (Texts{"ab</w>"}));
  EXPECT_EQ(texts(*bpe.model, bpe.vocabulary, "cac"), (Texts{"ca", "##c</w>"}));
  EXPECT_EQ(texts(*bpe.model, bpe.vocabulary, "éa"), (Texts{"<unk>", "##a</w>"}));
}

// As tokenizers' own test_bpe_with_continuing_subword_prefix has it.
TEST(Bpe, AMergeTakesThePrefixOfItsRightSideAway) {
  test::Tokens tokens;
  for (const char* text : {"a", "##b", "##c", "ab", "abc"}) tokens.add(text);
  const Vocabulary vocabulary = tokens.vocabulary();
  BpeOptions options;
  options.continuing_prefix = "##";
  const Bpe bpe(vocabulary, {{"a", "##b"}, {"ab", "##c"}}, options);
  EXPECT_EQ(texts(bpe, vocabulary, "ab"), (Texts{"ab"}));
  EXPECT_EQ(texts(bpe, vocabulary, "abc"), (Texts{"abc"}));
  EXPECT_EQ(texts(bpe, vocabulary, "ac"), (Texts{"a", "##c"}));
  EXPECT_THROW(Bpe(vocabulary, {{"a", "ab"}}, options), Error) << "no prefix to take away";
}

TEST(Bpe, AWholeWordThatIgnoresMergesHasNoMarks) {
  test::Tokens tokens;
  for (const char* text : {"a", "b</w>", "ab", "ab</w>"}) tokens.add(text);
  const Vocabulary vocabulary = tokens.vocabulary();
  BpeOptions options;
  options.word_suffix = "</w>";
  EXPECT_EQ(texts(Bpe(vocabulary, {}, options), vocabulary, "ab"), (Texts{"a", "b</w>"}));
  EXPECT_EQ(texts(Bpe(vocabulary, {{"a", "b</w>"}}, options), vocabulary, "ab"), (Texts{"ab</w>"}));
  options.ignore_merges = true;
  EXPECT_EQ(texts(Bpe(vocabulary, {{"a", "b</w>"}}, options), vocabulary, "ab"), (Texts{"ab"}));
}

TEST(WordLevel, AWordIsATokenOrUnknown) {
  test::Tokens tokens;
  const Token unknown = tokens.add("[UNK]", TokenKind::unknown);
  tokens.add("[CLS]", TokenKind::control);
  tokens.add("a");
  tokens.add("ab");
  const Vocabulary vocabulary = tokens.vocabulary();
  const WordLevel model(vocabulary, unknown);
  EXPECT_EQ(texts(model, vocabulary, "ab"), (Texts{"ab"}));
  EXPECT_EQ(texts(model, vocabulary, "aba"), (Texts{"[UNK]"}));
  EXPECT_EQ(texts(model, vocabulary, "[CLS]"), (Texts{"[UNK]"})) << "a control token is no text";
  const WordLevel strict(vocabulary, std::nullopt);
  EXPECT_EQ(texts(strict, vocabulary, "a"), (Texts{"a"}));
  EXPECT_THROW((void)encoded(strict, "b"), Error);
}

// Worked out from tokenizers' BPE::merge_word.
TEST(Bpe, BytesComeBeforeAnUnknownCharacterThatWaits) {
  test::Tokens tokens;
  BpeOptions options;
  options.unknown = tokens.add("<unk>", TokenKind::unknown);
  options.byte_fallback = true;
  tokens.add("a");
  tokens.add("<0x62>", TokenKind::byte);
  const Vocabulary vocabulary = tokens.vocabulary();
  EXPECT_EQ(texts(Bpe(vocabulary, {}, options), vocabulary, "xba"), (Texts{"<0x62>", "<unk>", "a"}));
  EXPECT_EQ(texts(Bpe(vocabulary, {}, options), vocabulary, "xbxa"),
            (Texts{"<0x62>", "<unk>", "<unk>", "a"}));
  options.fuse_unknown = true;
  EXPECT_EQ(texts(Bpe(vocabulary, {}, options), vocabulary, "xbxa"), (Texts{"<0x62>", "<unk>", "a"}));
}

TEST(Bpe, RefusesMergesOfWhatIsNoToken) {
  test::Tokens tokens;
  tokens.add("a");
  tokens.add("b");
  const Vocabulary vocabulary = tokens.vocabulary();
  const auto refused = [&](std::string_view left, std::string_view right, std::string_view name) {
    try {
      Bpe(vocabulary, {{left, right}}, {});
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string_view(error.what()).find(name), std::string_view::npos) << error.what();
    }
  };
  refused("a", "b", "merge 0 of the vocabulary needs 'ab'");
  refused("a", "c", "needs 'c'");
  refused("", "c", "needs ''");
}

TEST(Bpe, GivesWhatTheSlowVersionGives) {
  std::mt19937 random(1);
  for (int round = 0; round < 4000; ++round) {
    // Every eighth word is long enough for the heap.
    const std::string word = random_word(random, round % 8 == 0 ? 200 : 20, true);
    ASSERT_EQ(test::check_byte_bpe(word), "") << word;
    ASSERT_EQ(test::check_character_bpe(word), "") << word;
    ASSERT_EQ(test::check_marked_bpe(word), "") << word;
  }
}

TEST(WordCache, GivesWhatTheModelGives) {
  const test::SmallBpe bpe = test::small_byte_bpe();
  for (const size_t text_bytes : {0, 32, 1000, 1 << 20}) {
    std::mt19937 random(4);
    WordCache seen(text_bytes);
    EncodeWork work;
    size_t encoded_words = 0;
    for (int round = 0; round < 20000; ++round) {
      // Of all lengths up to and over those that are kept, and some that differ in one byte only.
      std::string word = random_word(random, round % 2 == 0 ? 4 : 20, true);
      if (round % 5 == 0) word = std::string(random() % 20, 'z') + static_cast<char>(random() % 3) + word;
      std::vector<Token> tokens = {7};
      seen.encode(word, tokens, work, [&] {
        ++encoded_words;
        if (!word.empty()) bpe.model->encode(word, tokens, work);
      });
      ASSERT_EQ(tokens.front(), 7);
      tokens.erase(tokens.begin());
      ASSERT_EQ(tokens, encoded(*bpe.model, word)) << word;
    }
    if (text_bytes == 0) {
      EXPECT_EQ(encoded_words, 20000u);
    } else if (text_bytes >= 1000) {
      EXPECT_LT(encoded_words, 19000u) << "nothing was found again";
    }
  }
}

TEST(WordPiece, TakesTheLongestTokenEachTime) {
  const test::SmallModel small = test::small_word_piece(100);
  EXPECT_EQ(texts(*small.model, small.vocabulary, "ababab"), (Texts{"aba", "##bab"}));
  EXPECT_EQ(texts(*small.model, small.vocabulary, "abcabc"), (Texts{"abcab", "##c"}));
  EXPECT_EQ(texts(*small.model, small.vocabulary, "abcacc"), (Texts{"ab", "##c", "##a", "##cc"}));
}

TEST(WordPiece, AWordThatCannotBeCoveredOrIsTooLongIsUnknown) {
  const test::SmallModel small = test::small_word_piece(5);
  EXPECT_EQ(texts(*small.model, small.vocabulary, "abz"), (Texts{"[UNK]"}));
  EXPECT_EQ(texts(*small.model, small.vocabulary, "äääää"), (Texts{"ä", "##ä", "##ä", "##ä", "##ä"}));
  EXPECT_EQ(texts(*small.model, small.vocabulary, "ääääää"), (Texts{"[UNK]"}));
}

TEST(WordPiece, GivesWhatTheSlowVersionGives) {
  std::mt19937 random(2);
  for (int round = 0; round < 4000; ++round) {
    const std::string word = random_word(random, 18, round % 4 == 0);
    ASSERT_EQ(test::check_word_piece(word), "") << word;
  }
}

TEST(Unigram, TakesTheCutWithTheBestScore) {
  const test::SmallModel small = test::small_unigram(false);
  EXPECT_EQ(texts(*small.model, small.vocabulary, "abab"), (Texts{"abab"}));
  EXPECT_EQ(texts(*small.model, small.vocabulary, "cä"), (Texts{"cä"}));
  EXPECT_EQ(texts(*small.model, small.vocabulary, "▁aba"), (Texts{"▁", "aba"}));
}

TEST(Unigram, NeighbouringUnknownCharactersAreOneUnknownTokenOrTheirBytes) {
  const test::SmallModel small = test::small_unigram(false);
  EXPECT_EQ(texts(*small.model, small.vocabulary, "aéxb"), (Texts{"a", "<unk>", "b"}));
  const test::SmallModel bytes = test::small_unigram(true);
  EXPECT_EQ(texts(*bytes.model, bytes.vocabulary, "aéxb"), (Texts{"a", "<0xC3>", "<0xA9>", "<0x78>", "b"}));
}

TEST(Unigram, ScoresWhatTheSlowVersionScores) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const std::string word = random_word(random, 10, round % 4 == 0);
    ASSERT_EQ(test::check_unigram(word), "") << word;
  }
}

}  // namespace
}  // namespace linnet
