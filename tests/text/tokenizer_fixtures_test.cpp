// Small tokenizers of every kind against what Hugging Face's tokenizers makes of nasty texts
// (tests/fixtures/tokenizers/make_fixtures.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "text/byte_alphabet.h"
#include "text/detokenizer.h"
#include "text/pre_tokenizer_names.h"
#include "text/test_files.h"
#include "text/tokenizer_json.h"

namespace linnet {
namespace {

class Collector final : public PieceSink {
 public:
  void piece(std::string_view text, bool) override { pieces.emplace_back(text); }
  std::vector<std::string> pieces;
};

class TokenizerFixtures : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string name = GetParam();
    const auto folder = test::tokenizer_fixtures();
    tokenizer_ = make_tokenizer_from_json(JsonFile(folder / (name + ".tokenizer.json")));
    pipeline_ = &dynamic_cast<const PipelineTokenizer&>(*tokenizer_).pipeline();
    rows_ = nlohmann::json::parse(test::contents_of(folder / (name + ".expected.json"))).at("rows");
    ASSERT_GE(rows_.size(), 90u);
  }

  [[nodiscard]] std::string normalized(const nlohmann::json& row) const {
    return row.value("normalized", row.at("text").get<std::string>());
  }

  std::unique_ptr<Tokenizer> tokenizer_;
  const Pipeline* pipeline_ = nullptr;
  nlohmann::json rows_;
};

TEST_P(TokenizerFixtures, TextsAreNormalizedAlike) {
  EncodeWork work;
  for (const auto& row : rows_) {
    const auto text = row.at("text").get<std::string>();
    EXPECT_EQ(pipeline_->normalizer.apply(text, work), normalized(row)) << row.at("text");
  }
}

TEST_P(TokenizerFixtures, TextsAreCutIntoTheSameWords) {
  EncodeWork work;
  for (const auto& row : rows_) {
    if (!row.contains("pieces")) continue;
    Collector words;
    pipeline_->pre_tokenizer.run(normalized(row), true, words, work);
    auto expected = row.at("pieces").get<std::vector<std::string>>();
    if (pipeline_->model->name() ==
        "byte-level BPE") {  // which gets bytes, not the characters that stand for them
      for (std::string& piece : expected) piece = from_byte_alphabet(piece).value();
    }
    EXPECT_EQ(words.pieces, expected) << row.at("text");
  }
}

TEST_P(TokenizerFixtures, TextsHaveTheSameTokens) {
  for (const auto& row : rows_) {
    const auto text = row.at("text").get<std::string>();
    const auto ids = row.at("ids").get<std::vector<Token>>();
    EXPECT_EQ(tokenizer_->encode(text, {.add_special = false, .parse_special = true}), ids) << row.at("text");
    const auto special = row.contains("special") ? row.at("special").get<std::vector<Token>>() : ids;
    EXPECT_EQ(tokenizer_->encode(text, {.add_special = true, .parse_special = true}), special)
        << row.at("text");
  }
}

// Where special tokens are taken as text, Hugging Face's unigram and WordPiece may still find them in their
// vocabulary. We never make a control token of text.
TEST_P(TokenizerFixtures, SpecialTokensInATextAreTextUnlessParsed) {
  for (const auto& row : rows_) {
    const auto text = row.at("text").get<std::string>();
    const auto ids = row.value("unparsed", row.at("ids")).get<std::vector<Token>>();
    const std::vector<Token> tokens =
        tokenizer_->encode(text, {.add_special = false, .parse_special = false});
    for (const Token token : tokens) {
      EXPECT_NE(tokenizer_->vocabulary().kind(token), TokenKind::control) << row.at("text");
    }
    const bool theirs_has_control = std::any_of(ids.begin(), ids.end(), [&](Token token) {
      return tokenizer_->vocabulary().kind(token) == TokenKind::control;
    });
    if (!theirs_has_control) {
      EXPECT_EQ(tokens, ids) << row.at("text");
    }
  }
}

// Where theirs is to be compared with: it writes byte tokens out where the file's decoder has no
// ByteFallback, makes one U+FFFD of several bytes that are no text (we one of each), drops all spaces of a
// first token and decodes an added token to its normalized text.
[[nodiscard]] bool decodes_otherwise(std::string_view name, const std::string& text,
                                     const std::string& decoded) {
  const auto has = [](const std::string& where, const char* what) {
    return where.find(what) != std::string::npos;
  };
  return has(decoded, "\uFFFD") || has(decoded, "<0x") || name == "unigram_bytes" ||
         name == "metaspace_first" || (name == "llama_legacy" && has(text, "#hash")) ||
         (name == "added" && has(text, "Yesterday"));
}

TEST_P(TokenizerFixtures, TokensBecomeTheSameText) {
  for (const auto& row : rows_) {
    auto expected = row.at("decoded").get<std::string>();
    if (decodes_otherwise(GetParam(), row.at("text").get<std::string>(), expected)) continue;
    // It leaves the mark of a continuation that stands at the beginning.
    if (pipeline_->pieces.style == PieceStyle::word_piece && expected.starts_with("##")) expected.erase(0, 2);
    EXPECT_EQ(detokenize(*tokenizer_, row.at("ids").get<std::vector<Token>>()), expected) << row.at("text");
  }
}

class LosslessFixtures : public TokenizerFixtures {};

TEST_P(LosslessFixtures, TextsSurviveTokenizingAndBack) {
  const bool metaspace = pipeline_->pieces.style == PieceStyle::metaspace;
  for (const auto& row : rows_) {
    const auto text = row.at("text").get<std::string>();
    // ▁ and a space are one, and a space is put before a text unless it begins with one.
    if (metaspace && (text.starts_with(' ') || text.find("\u2581") != std::string::npos)) continue;
    EXPECT_EQ(
        detokenize(*tokenizer_, tokenizer_->encode(text, {.add_special = true, .parse_special = false})),
        text);
  }
}

INSTANTIATE_TEST_SUITE_P(HuggingFace, LosslessFixtures,
                         testing::Values("gpt2", "llama3", "starcoder", "deepseek_llm", "deepseek_coder",
                                         "deepseek_v3", "falcon", "default", "gpt4o", "general",
                                         "unigram_bytes", "metaspace_first"),
                         [](const auto& test) { return std::string(test.param); });

INSTANTIATE_TEST_SUITE_P(HuggingFace, TokenizerFixtures,
                         testing::Values("gpt2", "roberta", "llama3", "qwen2", "starcoder", "deepseek_llm",
                                         "deepseek_coder", "deepseek_v3", "falcon", "neox", "default",
                                         "gpt4o", "possessive", "general", "odd_splits", "incomplete", "bert",
                                         "bert_cased", "bert_accents", "bert_processing", "unigram",
                                         "unigram_bytes", "unigram_charsmap", "llama_legacy",
                                         "metaspace_first", "metaspace_never", "added"),
                         [](const auto& test) { return std::string(test.param); });

// Those that still have to be made, on a machine with Hugging Face's library; each counts from when its files
// are here.
[[nodiscard]] std::vector<const char*> made(std::vector<const char*> names) {
  std::erase_if(names, [](const std::string& name) {
    return !std::filesystem::exists(test::tokenizer_fixtures() / (name + ".expected.json"));
  });
  return names;
}

INSTANTIATE_TEST_SUITE_P(HuggingFaceMore, TokenizerFixtures,
                         testing::ValuesIn(made({"clip", "marked_bpe", "word_level", "byte_normalizer"})),
                         [](const auto& test) { return std::string(test.param); });

// What the named pre-tokenizers of GGUF files do, by the tokenizer.json that each stands for.
class NamedPreTokenizers : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(NamedPreTokenizers, CutTextsAsTheirTokenizerJson) {
  const auto [name, fixture] = GetParam();
  const NamedPreTokenizer named = make_named_pre_tokenizer(name);
  const auto path = test::tokenizer_fixtures() / (std::string(fixture) + ".expected.json");
  EncodeWork work;
  const auto expected_file = nlohmann::json::parse(test::contents_of(path));
  for (const auto& row : expected_file.at("rows")) {
    Collector words;
    const auto text = row.at("text").get<std::string>();
    named.pre_tokenizer.run(named.normalizer.apply(text, work), true, words, work);
    auto expected = row.at("pieces").get<std::vector<std::string>>();
    for (std::string& piece : expected) piece = from_byte_alphabet(piece).value();
    EXPECT_EQ(words.pieces, expected) << row.at("text");
  }
}

// Those without a fixture.
TEST(NamedPreTokenizer, PatternsOfOtherFamiliesCutWords) {
  const auto words = [](std::string_view name, std::string_view text) {
    EncodeWork work;
    Collector collected;
    make_named_pre_tokenizer(name).pre_tokenizer.run(text, true, collected, work);
    return collected.pieces;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words("tekken", "Hello HTTPServer's 12!\n x"),
            (Words{"Hello", " HTTPServer", "'s", " ", "1", "2", "!\n", " x"}));
  EXPECT_EQ(words("qwen35", "e\u0301t\u00E9 IT'S 12!\n x"),
            (Words{"e\u0301t\u00E9", " IT", "'S", " ", "1", "2", "!\n", " x"}));
  EXPECT_EQ(words("bloom", "Hello world, 12!"), (Words{"Hello", " world", ",", " 12", "!"}));
}

// Not deepseek-llm and falcon: they differ in digits that their vocabularies cannot tell apart (see
// pre_tokenizer_names.cpp).
INSTANTIATE_TEST_SUITE_P(Gguf, NamedPreTokenizers,
                         testing::Values(std::pair("gpt-2", "gpt2"), std::pair("gpt-neox", "neox"),
                                         std::pair("llama-bpe", "llama3"),
                                         std::pair("starcoder", "starcoder"),
                                         std::pair("deepseek-coder", "deepseek_coder"),
                                         std::pair("deepseek-v3", "deepseek_v3"),
                                         std::pair("default", "default"), std::pair("gpt-4o", "gpt4o")),
                         [](const auto& test) { return std::string(test.param.second); });

}  // namespace
}  // namespace linnet
