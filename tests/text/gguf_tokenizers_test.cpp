// Byte-level BPE, WordPiece and unigram from GGUF's keys: defaults, special tokens and everything that is
// refused.
#include "text/gguf_tokenizers.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "text/detokenizer.h"

namespace linnet {
namespace {

using Strings = std::vector<std::string>;

[[nodiscard]] MetadataValue strings(const Strings& values) {
  return MetadataArray(StringArray(values));
}

[[nodiscard]] Metadata byte_level() {
  Metadata metadata;
  metadata.set("tokenizer.ggml.model", std::string("gpt2"));
  metadata.set("tokenizer.ggml.pre", std::string("gpt-2"));
  metadata.set("tokenizer.ggml.tokens", strings({"<|end|>", "a", "b", "Ġ", "ab", "Ġab", "<tool>", "1", "2"}));
  metadata.set("tokenizer.ggml.token_type", MetadataArray(std::vector<int32_t>{3, 1, 1, 1, 1, 1, 4, 1, 1}));
  metadata.set("tokenizer.ggml.merges", strings({"a b", "Ġ ab"}));
  metadata.set("tokenizer.ggml.bos_token_id", uint32_t{0});
  metadata.set("tokenizer.ggml.eos_token_id", uint32_t{0});
  return metadata;
}

[[nodiscard]] Metadata word_piece() {
  Metadata metadata;
  metadata.set("tokenizer.ggml.model", std::string("bert"));
  metadata.set("tokenizer.ggml.tokens",
               strings({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁un", "able", "▁a", "▁.", "▁zoe", "▁UN"}));
  metadata.set("tokenizer.ggml.token_type",
               MetadataArray(std::vector<int32_t>{3, 3, 3, 3, 1, 1, 1, 1, 1, 1}));
  metadata.set("tokenizer.ggml.unknown_token_id", uint32_t{1});
  metadata.set("tokenizer.ggml.cls_token_id", uint32_t{2});
  metadata.set("tokenizer.ggml.seperator_token_id", uint32_t{3});
  return metadata;
}

[[nodiscard]] Metadata unigram() {
  Metadata metadata;
  metadata.set("tokenizer.ggml.model", std::string("t5"));
  metadata.set("tokenizer.ggml.tokens", strings({"<pad>", "</s>", "<unk>", "▁", "a", "▁ab", "b"}));
  metadata.set("tokenizer.ggml.scores", MetadataArray(std::vector<float>{0, 0, 0, -2, -3, -4, -3}));
  metadata.set("tokenizer.ggml.token_type", MetadataArray(std::vector<int32_t>{3, 3, 2, 1, 1, 1, 1}));
  return metadata;
}

void expect_refused(const Metadata& metadata, std::string_view message) {
  try {
    (void)make_tokenizer(metadata);
    ADD_FAILURE() << "accepted; expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string_view(error.what()).find(message), std::string_view::npos) << error.what();
  }
}

using Tokens = std::vector<Token>;

TEST(ByteLevelBpe, CutsWordsMergesBytesAndKnowsSpecialTokens) {
  const auto tokenizer = make_tokenizer(byte_level());
  EXPECT_EQ(tokenizer->encode("ab ab<tool>12"), (Tokens{4, 5, 6, 7, 8}));
  EXPECT_EQ(tokenizer->encode("a<|end|>", {.add_special = false, .parse_special = true}), (Tokens{1, 0}));
  EXPECT_EQ(tokenizer->piece(5), " ab");
  EXPECT_EQ(detokenize(*tokenizer, Tokens{5, 6, 0, 1}), " ab<tool>a");
  EXPECT_EQ(tokenizer->end_of_generation(), (Tokens{0}));
}

TEST(ByteLevelBpe, AddsBosByDefaultOnlyWhereTheModelWasTrainedSo) {
  Metadata metadata = byte_level();
  EXPECT_EQ(make_tokenizer(metadata)->encode("a"), (Tokens{1}));
  metadata.set("tokenizer.ggml.pre", std::string("llama-bpe"));
  EXPECT_EQ(make_tokenizer(metadata)->encode("a"), (Tokens{0, 1}));
  metadata.set("tokenizer.ggml.add_bos_token", false);
  metadata.set("tokenizer.ggml.add_eos_token", true);
  EXPECT_EQ(make_tokenizer(metadata)->encode("a"), (Tokens{1, 0}));
}

TEST(ByteLevelBpe, RefusesAPreTokenizerItDoesNotKnow) {
  Metadata metadata = byte_level();
  metadata.set("tokenizer.ggml.pre", std::string("of-tomorrow"));
  expect_refused(metadata, "('tokenizer.ggml.pre') is 'of-tomorrow'");
}

TEST(ByteLevelBpe, RefusesMissingOrMalformedMerges) {
  Metadata metadata = byte_level();
  metadata.set("tokenizer.ggml.merges", strings({"ab"}));
  expect_refused(metadata, "merge 0 is 'ab'; expected two symbols");
  metadata.set("tokenizer.ggml.merges", strings({"b a"}));
  expect_refused(metadata, "merge 0 of the vocabulary needs 'ba'");
  metadata.erase("tokenizer.ggml.merges");
  expect_refused(metadata, "no key 'tokenizer.ggml.merges'");
}

TEST(WordPieceOfGguf, CutsLowercasesAndPutsClsAndSepAround) {
  const auto tokenizer = make_tokenizer(word_piece());
  EXPECT_EQ(tokenizer->encode("Unable a. Zoë x"), (Tokens{2, 4, 5, 6, 7, 8, 1, 3}));
  EXPECT_EQ(tokenizer->encode("[CLS]", {.add_special = false, .parse_special = true}), (Tokens{2}));
  EXPECT_EQ(detokenize(*tokenizer, Tokens{2, 4, 5, 6, 7, 3}), "unable a.");
}

TEST(WordPieceOfGguf, KeepsCaseWhereTheFileSaysSo) {
  Metadata metadata = word_piece();
  metadata.set("tokenizer.ggml.normalizer.lowercase", false);
  EXPECT_EQ(make_tokenizer(metadata)->encode("UNable zoë"), (Tokens{2, 9, 5, 1, 3}));
}

TEST(WordPieceOfGguf, RefusesSpecialTokensThatAreNotThere) {
  Metadata metadata = word_piece();
  metadata.set("tokenizer.ggml.cls_token_id", uint32_t{10});
  expect_refused(metadata, "'tokenizer.ggml.cls_token_id' is 10 but the vocabulary has 10 tokens");
  metadata.erase("tokenizer.ggml.cls_token_id");
  expect_refused(metadata, "is 101 but");
}

TEST(UnigramOfGguf, PutsASpaceBeforeAndEosAfter) {
  const auto tokenizer = make_tokenizer(unigram());
  EXPECT_EQ(tokenizer->encode("ab a"), (Tokens{5, 3, 4, 1}));
  EXPECT_EQ(tokenizer->encode("xyz"), (Tokens{3, 2, 1})) << "unknown characters are one";
  EXPECT_EQ(detokenize(*tokenizer, Tokens{5, 3, 4, 1}), "ab a");
}

TEST(UnigramOfGguf, RemovesSpacesAndMapsCharactersWhereTheFileSaysSo) {
  Metadata metadata = unigram();
  metadata.set("tokenizer.ggml.remove_extra_whitespaces", true);
  EXPECT_EQ(make_tokenizer(metadata)->encode("  ab   a "), (Tokens{5, 3, 4, 1}));
  metadata.set("tokenizer.ggml.precompiled_charsmap", MetadataArray(std::vector<uint8_t>{1, 2, 3}));
  expect_refused(metadata, "the precompiled character map of 3 bytes");
}

}  // namespace
}  // namespace linnet
