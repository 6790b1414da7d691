// Real vocabularies against the token ids that their publishers' tokenizers give
// (shared/testdata/tokenizers).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "files/gguf.h"
#include "text/detokenizer.h"
#include "text/sentencepiece_bpe.h"

namespace linnet {
namespace {

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};

[[nodiscard]] std::filesystem::path testdata() {
  if (const char* folder = std::getenv("LINNET_TESTDATA")) return folder;
  return std::filesystem::path(LINNET_SOURCE_DIR) / ".." / "shared" / "testdata";
}

[[nodiscard]] std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

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

TEST_P(TokenizerVectors, ThePublishedTokensGiveTheTextsBack) {
  for (size_t i = 0; i < texts_.size(); ++i) EXPECT_EQ(detokenize(*tokenizer_, tokens_[i]), texts_[i]);
}

TEST_P(TokenizerVectors, RandomMixturesOfTheTextsSurviveTokenizingAndBack) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 4; ++i) text += texts_[random() % texts_.size()];
    ASSERT_EQ(detokenize(*tokenizer_, tokenizer_->encode(text, kPlain)), text);
  }
}

TEST_P(TokenizerVectors, AMegabyteOfOneCharacterTakesLinearlyManySteps) {
  const auto* bpe = dynamic_cast<const SentencePieceBpe*>(tokenizer_.get());
  ASSERT_NE(bpe, nullptr);
  for (const char character : {'a', ' ', '=', '\n'}) {
    const std::string text(1 << 20, character);
    EncodeWork work;
    EXPECT_LT(bpe->encode(text, kPlain, work).size(), text.size() + 2);
    EXPECT_LT(work.lookups, 3 * text.size());
  }
}

INSTANTIATE_TEST_SUITE_P(SentencePiece, TokenizerVectors, testing::Values("llama-spm", "phi-3"));

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
