// The cost of tokenizing: steps per byte from one to eight megabytes of one character, of random text and of
// spaces, for every kind of tokenizer. A quadratic part would double them with each doubling of the text; one
// that is not counted would show in the time.
#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "text/small_vocabulary.h"
#include "text/test_files.h"
#include "text/tokenizer_json.h"

namespace linnet {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

struct TextKind {
  const char* name;
  std::string (*make)(size_t size);
};

[[nodiscard]] std::string random_text(size_t size) {
  constexpr std::string_view kParts[] = {"the ", "river", " rose", "\n", "12",     "ä",
                                         "中",   "!?",    "  ",    "X",  "\u0301", "🙂"};
  std::mt19937 random(9);
  std::string text;
  text.reserve(size + 8);
  while (text.size() < size) text += kParts[random() % std::size(kParts)];
  return text;
}

[[nodiscard]] std::string marks(size_t size) {
  std::string text = "a";
  while (text.size() < size) text += "\u0316\u0301";
  return text;
}

const TextKind kTexts[] = {
    {"one letter", [](size_t size) { return std::string(size, 'a'); }},
    {"spaces", [](size_t size) { return std::string(size, ' '); }},
    {"random text", random_text},
};

class EncodeCost : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string name = GetParam();
    if (name == "sentencepiece") {
      tokenizer_ = make_tokenizer(test::english_vocabulary().metadata());
    } else {
      tokenizer_ =
          make_tokenizer_from_json(JsonFile(test::tokenizer_fixtures() / (name + ".tokenizer.json")));
    }
  }
  [[nodiscard]] double steps_per_byte(const std::string& text) const {
    EncodeWork work;
    const auto tokens =
        tokenizer_->encode(text, {.add_special = false, .parse_special = true, .truncate = false}, work);
    return static_cast<double>(work.total()) / static_cast<double>(text.size());
  }

  std::unique_ptr<Tokenizer> tokenizer_;
};

TEST_P(EncodeCost, StepsPerByteDoNotGrowWithTheText) {
  for (const TextKind& kind : kTexts) {
    double before = steps_per_byte(kind.make(kMegabyte));
    std::clock_t begin = 0;
    for (size_t size = 2 * kMegabyte; size <= 8 * kMegabyte; size *= 2) {
      const std::string text = kind.make(size);
      begin = std::clock();
      const double now = steps_per_byte(text);
      EXPECT_LE(now, 1.3 * before) << size << " bytes of " << kind.name;
      before = now;
    }
    // Of the last eight megabytes; without optimization too.
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 20.0) << kind.name;
  }
}

TEST_P(EncodeCost, MarksInARowAreNoExceptionToThat) {
  EXPECT_LE(steps_per_byte(marks(kMegabyte)), 1.3 * steps_per_byte(marks(kMegabyte / 2)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, EncodeCost,
                         testing::Values("gpt2", "llama3", "deepseek_llm", "gpt4o", "bert", "unigram_bytes",
                                         "llama_legacy", "sentencepiece"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace linnet
