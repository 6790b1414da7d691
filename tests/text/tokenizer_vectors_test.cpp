// Real vocabularies against the token ids that their publishers' tokenizers give
// (shared/testdata/tokenizers and shared/testdata/minilm).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "files/gguf.h"
#include "text/detokenizer.h"
#include "text/test_files.h"
#include "text/tokenizer.h"

namespace linnet {
namespace {

using test::contents_of;
using test::testdata;

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};

class TokenizerVectors : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    path_ = testdata() / "tokenizers" / (std::string(GetParam()) + ".gguf");
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << "no test data at " << path_;
    const TensorFile file = open_gguf(path_);
    tokenizer_ = make_tokenizer(file.metadata());
    read_cases();
  }

  void read_cases() {
    constexpr std::string_view kSeparator = "\n__ggml_vocab_test__\n";
    const std::string inputs = contents_of(path_.string() + ".inp");
    std::istringstream outputs(contents_of(path_.string() + ".out"));
    size_t at = 0;
    for (std::string line; std::getline(outputs, line); at += texts_.back().size() + kSeparator.size()) {
      ASSERT_LE(at, inputs.size()) << "more lines of tokens than texts";
      texts_.push_back(inputs.substr(at, inputs.find(kSeparator, at) - at));
      std::istringstream ids(line);
      tokens_.emplace_back();
      for (Token token = 0; ids >> token;) tokens_.back().push_back(token);
    }
    ASSERT_GE(at, inputs.size()) << "more texts than lines of tokens";
    ASSERT_EQ(texts_.size(), 46u);
  }

  std::filesystem::path path_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::vector<std::string> texts_;
  std::vector<std::vector<Token>> tokens_;
};

TEST_P(TokenizerVectors, TextsHaveThePublishedTokens) {
  for (size_t i = 0; i < texts_.size(); ++i)
    EXPECT_EQ(tokenizer_->encode(texts_[i], kPlain), tokens_[i]) << texts_[i];
}

// All but WordPiece, which forgets case and spaces.
class LosslessVectors : public TokenizerVectors {};

TEST_P(LosslessVectors, ThePublishedTokensGiveTheTextsBack) {
  for (size_t i = 0; i < texts_.size(); ++i) EXPECT_EQ(detokenize(*tokenizer_, tokens_[i]), texts_[i]);
}

TEST_P(LosslessVectors, RandomMixturesOfTheTextsSurviveTokenizingAndBack) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 4; ++i) text += texts_[random() % texts_.size()];
    ASSERT_EQ(detokenize(*tokenizer_, tokenizer_->encode(text, kPlain)), text);
  }
}

TEST_P(TokenizerVectors, ALongRunOfOneCharacterTakesLinearlyManySteps) {
  for (const char character : {'a', ' ', '=', '\n'}) {
    const std::string text(1 << 18, character);
    EncodeWork work;
    EXPECT_LT(tokenizer_->encode(text, kPlain, work).size(), text.size() + 2);
    EXPECT_LT(work.total(), 12 * text.size()) << character;
  }
}

INSTANTIATE_TEST_SUITE_P(Gguf, TokenizerVectors,
                         testing::Values("llama-spm", "phi-3", "gpt-2", "starcoder", "bert-bge"));
INSTANTIATE_TEST_SUITE_P(Gguf, LosslessVectors, testing::Values("llama-spm", "phi-3", "gpt-2", "starcoder"));

TEST(TokenizerOfMiniLm, GivesTheTokensOfSentenceTransformers) {
  const auto folder = testdata() / "minilm";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no test data at " << folder;
  const auto tokenizer = make_tokenizer_from_folder(folder / "model");
  const auto rows = nlohmann::json::parse(contents_of(folder / "vectors.json"));
  ASSERT_EQ(rows.size(), 83u);
  for (const auto& row : rows) {
    EXPECT_EQ(
        tokenizer->encode(row.at("text").get<std::string>(), {.add_special = true, .parse_special = true}),
        row.at("tokens").get<std::vector<Token>>())
        << row.at("text");
  }
}

TEST(TokenizerOfMiniLm, VocabTxtAloneGivesTheSameTokens) {
  const auto folder = testdata() / "minilm" / "model";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no test data at " << folder;
  const auto copy = std::filesystem::temp_directory_path() / "linnet_vocab_txt_test";
  std::filesystem::create_directories(copy);
  for (const char* name : {"vocab.txt", "tokenizer_config.json", "sentence_bert_config.json"}) {
    std::filesystem::copy_file(folder / name, copy / name, std::filesystem::copy_options::overwrite_existing);
  }
  const auto tokenizer = make_tokenizer_from_folder(copy);
  for (const auto& row : nlohmann::json::parse(contents_of(folder / ".." / "vectors.json"))) {
    EXPECT_EQ(
        tokenizer->encode(row.at("text").get<std::string>(), {.add_special = true, .parse_special = true}),
        row.at("tokens").get<std::vector<Token>>())
        << row.at("text");
  }
  std::filesystem::remove_all(copy);
}

TEST(TokenizerOfPhi3, KnowsItsTurnsAndEnds) {
  const auto path = testdata() / "tokenizers" / "phi-3.gguf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no test data at " << path;
  const auto tokenizer = make_tokenizer(open_gguf(path).metadata());
  EXPECT_EQ(tokenizer->end_of_generation(), (std::vector<Token>{32000, 32007}));
  const EncodeOptions parse{.add_special = true, .parse_special = true};
  EXPECT_EQ(tokenizer->encode("<|user|>\nHello<|end|>", parse),
            (std::vector<Token>{1, 32010, 29871, 13, 10994, 32007}));
}

}  // namespace
}  // namespace linnet
