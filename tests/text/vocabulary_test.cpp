// Vocabularies as metadata: defaults, special ids, and everything that is refused.
#include "text/vocabulary.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "text/small_vocabulary.h"
#include "text/tokenizer.h"

namespace linnet {
namespace {

using test::english_vocabulary;
using test::SmallVocabulary;

void expect_refused(const Metadata& metadata, std::string_view fragment) {
  try {
    (void)make_tokenizer(metadata);
    FAIL() << "accepted; expected: " << fragment;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string_view(error.what()).find(fragment), std::string_view::npos) << error.what();
  }
}

[[nodiscard]] Metadata with(std::string key, MetadataValue value) {
  Metadata metadata = english_vocabulary().metadata();
  metadata.set(std::move(key), std::move(value));
  return metadata;
}

[[nodiscard]] Metadata without(std::string_view key) {
  Metadata metadata = english_vocabulary().metadata();
  metadata.erase(key);
  return metadata;
}

TEST(Vocabulary, SpecialTokensHaveSentencePiecesDefaults) {
  const auto tokenizer = make_tokenizer(english_vocabulary().metadata());
  EXPECT_EQ(tokenizer->unknown(), 0);
  EXPECT_EQ(tokenizer->bos(), 1);
  EXPECT_EQ(tokenizer->eos(), 2);
  EXPECT_TRUE(tokenizer->vocabulary().add_bos());
  EXPECT_FALSE(tokenizer->vocabulary().add_eos());
  EXPECT_TRUE(tokenizer->is_control(1));
  EXPECT_TRUE(tokenizer->is_control(0));
  EXPECT_FALSE(tokenizer->is_control(SmallVocabulary::byte('a')));
  EXPECT_THROW((void)tokenizer->is_control(-1), Error);
  EXPECT_THROW((void)tokenizer->is_control(static_cast<Token>(tokenizer->size())), Error);
}

TEST(Vocabulary, GenerationEndsAtEosAndAtTheEndOfATurn) {
  SmallVocabulary vocabulary = english_vocabulary();
  const Token other = vocabulary.add("<other>", 0.0f, TokenKind::control);
  const Token text_only = vocabulary.add("<|im_end|>", 0.0f);  // a normal token is no end, whatever it spells
  Metadata metadata = vocabulary.metadata();
  metadata.set("tokenizer.ggml.eot_token_id", static_cast<uint32_t>(other));
  const auto tokenizer = make_tokenizer(metadata);
  const Token end = *tokenizer->vocabulary().find("<|end|>");
  EXPECT_EQ(tokenizer->end_of_generation(), (std::vector<Token>{2, end, other}));
  EXPECT_TRUE(tokenizer->ends_generation(end));
  EXPECT_FALSE(tokenizer->ends_generation(text_only));
}

TEST(Vocabulary, OutlivesTheMetadataItWasMadeFrom) {
  std::unique_ptr<Tokenizer> tokenizer;
  {
    const Metadata metadata = english_vocabulary().metadata();
    tokenizer = make_tokenizer(metadata);
  }
  EXPECT_EQ(tokenizer->vocabulary().text(*tokenizer->vocabulary().find("▁hello")), "▁hello");
}

TEST(Vocabulary, RefusesMissingParts) {
  expect_refused(without("tokenizer.ggml.model"), "no key 'tokenizer.ggml.model'");
  expect_refused(without("tokenizer.ggml.tokens"), "no key 'tokenizer.ggml.tokens'");
  expect_refused(without("tokenizer.ggml.scores"), "no key 'tokenizer.ggml.scores'");
  expect_refused(without("tokenizer.ggml.token_type"), "no key 'tokenizer.ggml.token_type'");
  expect_refused(with("tokenizer.ggml.model", std::string("rwkv")), "the model's tokenizer is 'rwkv'");
}

TEST(Vocabulary, RefusesSizesThatDisagree) {
  expect_refused(with("tokenizer.ggml.scores", MetadataArray(std::vector<float>(5))),
                 "has 5 elements for 292 tokens");
  expect_refused(with("tokenizer.ggml.token_type", MetadataArray(std::vector<int32_t>(400, 1))),
                 "has 400 elements for 292 tokens");
  expect_refused(with("tokenizer.ggml.tokens", MetadataArray(StringArray())), "lists no tokens");
}

TEST(Vocabulary, RefusesWrongTypes) {
  expect_refused(with("tokenizer.ggml.tokens", uint32_t{1}), "expected an array of strings, got u32");
  expect_refused(with("tokenizer.ggml.scores", MetadataArray(std::vector<int32_t>(292))),
                 "expected an array of floats");
  expect_refused(with("tokenizer.ggml.token_type", MetadataArray(std::vector<float>(292))),
                 "expected an array of integers");
  expect_refused(with("tokenizer.ggml.add_bos_token", uint32_t{1}), "expected a bool, got u32");
  expect_refused(with("tokenizer.ggml.bos_token_id", std::string("1")), "expected an integer, got string");
}

TEST(Vocabulary, RefusesIdsAndKindsOutOfRange) {
  for (const char* key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id",
                          "tokenizer.ggml.unknown_token_id", "tokenizer.ggml.eot_token_id"}) {
    expect_refused(with(key, uint32_t{292}), "is 292 but the vocabulary has 292 tokens");
    expect_refused(with(key, ~uint32_t{0}), "is 4294967295 but");
    expect_refused(with(key, int32_t{-1}), "-1 is not between");
  }
  for (const int32_t kind : {0, 7, -1}) {
    std::vector<int32_t> kinds(292, 1);
    kinds[17] = kind;
    expect_refused(with("tokenizer.ggml.token_type", MetadataArray(kinds)),
                   concat("token 17 has the unknown kind ", kind));
  }
}

TEST(Vocabulary, RefusesScoresThatAreNoNumbers) {
  std::vector<float> scores(292, -1.0f);
  scores[290] = std::numeric_limits<float>::quiet_NaN();
  expect_refused(with("tokenizer.ggml.scores", MetadataArray(scores)),
                 "the score of token 290 is not a number");
}

TEST(Vocabulary, RefusesTokensTooLongToMatchInBoundedTime) {
  SmallVocabulary vocabulary;
  vocabulary.add(std::string(Vocabulary::kLongestToken, 'a'), 0.0f);
  EXPECT_NO_THROW((void)make_tokenizer(vocabulary.metadata()));
  vocabulary.add(std::string(Vocabulary::kLongestToken + 1, 'a'), 0.0f);
  expect_refused(vocabulary.metadata(), "token 260 of the vocabulary has 1025 bytes");
}

TEST(Vocabulary, RefusesByteTokensThatNameNoByte) {
  for (const char* text : {"<0xGG>", "<0x0a>", "0x0A", "<0x0AA>", ""}) {
    SmallVocabulary vocabulary;
    vocabulary.add(text, 0.0f, TokenKind::byte);
    expect_refused(vocabulary.metadata(), "token 259 is a byte token but its text is");
  }
}

TEST(Vocabulary, RefusesWhenSomeTextsWouldHaveNeitherTokensNorAnUnknownToken) {
  Metadata metadata;
  metadata.set("tokenizer.ggml.model", std::string("llama"));
  metadata.set("tokenizer.ggml.tokens", MetadataArray(StringArray(std::vector<std::string>{"a", "<0x00>"})));
  metadata.set("tokenizer.ggml.scores", MetadataArray(std::vector<float>{0, 0}));
  metadata.set("tokenizer.ggml.token_type", MetadataArray(std::vector<int32_t>{1, 6}));
  expect_refused(metadata, "neither all 256 byte tokens nor an unknown token");
  metadata.set("tokenizer.ggml.unknown_token_id", uint32_t{0});
  EXPECT_EQ(make_tokenizer(metadata)->unknown(), 0);
}

TEST(Vocabulary, DefaultsAreNotTakenWhereThatTokenIsText) {
  SmallVocabulary vocabulary;
  std::vector<int32_t> kinds(259, static_cast<int32_t>(TokenKind::byte));
  kinds[0] = kinds[1] = kinds[2] = static_cast<int32_t>(TokenKind::normal);
  Metadata metadata = vocabulary.metadata();
  metadata.set("tokenizer.ggml.token_type", MetadataArray(kinds));
  const auto tokenizer = make_tokenizer(metadata);
  EXPECT_EQ(tokenizer->bos(), std::nullopt);
  EXPECT_EQ(tokenizer->eos(), std::nullopt);
  EXPECT_EQ(tokenizer->unknown(), std::nullopt);
  EXPECT_TRUE(tokenizer->end_of_generation().empty());
}

TEST(Vocabulary, TheFirstOfTokensWithOneTextIsFound) {
  SmallVocabulary vocabulary = english_vocabulary();
  vocabulary.add("▁hello", 0.0f);
  const auto tokenizer = make_tokenizer(vocabulary.metadata());
  EXPECT_EQ(tokenizer->vocabulary().text(*tokenizer->vocabulary().find("▁hello")), "▁hello");
  EXPECT_LT(*tokenizer->vocabulary().find("▁hello"), static_cast<Token>(tokenizer->size() - 1));
}

}  // namespace
}  // namespace linnet
