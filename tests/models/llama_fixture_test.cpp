// Small random models against the results of transformers (tests/fixtures/llama/make_fixture.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "files/gguf.h"
#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/text_model.h"

namespace linnet {
namespace {

using testing::Logits;
using testing::Tokens;

std::string contents_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(out).str();
}

// The integers of "key": [1, 2, …]: all that the fixture's JSON is asked for.
Tokens integers_of(const std::string& json, const std::string& key) {
  size_t at = json.find("\"" + key + "\"");
  if (at == std::string::npos) throw std::runtime_error("no " + key);
  at = json.find('[', at) + 1;
  std::string list = json.substr(at, json.find(']', at) - at);
  std::ranges::replace(list, ',', ' ');
  std::istringstream in(list);
  return {std::istream_iterator<int32_t>(in), {}};
}

struct Fixture {
  explicit Fixture(const std::string& name)
      : folder(std::filesystem::path(LINNET_SOURCE_DIR) / "tests/fixtures/llama"),
        gguf(folder / (name + ".gguf")) {
    if (!std::filesystem::exists(gguf)) return;
    const std::string json = contents_of(folder / (name + ".json"));
    prompt = integers_of(json, "prompt");
    greedy = integers_of(json, "greedy");
    const std::string raw = contents_of(folder / (name + "_logits.bin"));
    const size_t vocabulary = raw.size() / sizeof(float) / prompt.size();
    for (size_t row = 0; row < prompt.size(); ++row) {
      logits.emplace_back(vocabulary);
      std::memcpy(logits.back().data(), raw.data() + row * vocabulary * sizeof(float),
                  vocabulary * sizeof(float));
    }
  }
  [[nodiscard]] bool present() const { return !prompt.empty(); }

  std::filesystem::path folder, gguf;
  Tokens prompt, greedy;
  std::vector<Logits> logits;
};

// Device and fixture.
class LlamaFixture : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    if (!testing::can_open(std::get<0>(GetParam())))
      GTEST_SKIP() << "no device '" << std::get<0>(GetParam()) << "'";
    if (!fixture.present()) GTEST_SKIP() << fixture.gguf << " is absent: run make_fixture.py beside it";
    device = testing::open(std::get<0>(GetParam()));
    model = std::make_unique<TextModel>(
        open_gguf(fixture.gguf), *device,
        TextModelOptions{.context = 256,
                         .slots = 1,
                         .prompt_rows = 128,
                         .logit_rows = 128,
                         .compile = CompileOptions{.activations = Format::f32, .kv = Format::f32}});
  }
  Fixture fixture{std::get<1>(GetParam())};
  std::unique_ptr<Device> device;
  std::unique_ptr<TextModel> model;
};
INSTANTIATE_TEST_SUITE_P(On, LlamaFixture,
                         ::testing::Combine(::testing::Values("cpu", "reference"),
                                            ::testing::Values("llama_tiny", "llama_tied")),
                         [](const auto& each) {
                           return std::get<0>(each.param) + "_" + std::get<1>(each.param);
                         });

TEST_P(LlamaFixture, LogitsAreThoseOfTransformers) {
  const auto logits = testing::logits_of_prompt(*model, fixture.prompt, 128);
  ASSERT_EQ(logits.size(), fixture.logits.size());
  float largest = 0;
  for (const Logits& row : fixture.logits) {
    for (const float logit : row) largest = std::max(largest, std::abs(logit));
  }
  ASSERT_GT(largest, 1.0f);
  float difference = 0;
  for (size_t row = 0; row < logits.size(); ++row) {
    ASSERT_EQ(logits[row].size(), fixture.logits[row].size());
    for (size_t i = 0; i < logits[row].size(); ++i) {
      ASSERT_TRUE(std::isfinite(logits[row][i]));
      difference = std::max(difference, std::abs(logits[row][i] - fixture.logits[row][i]));
    }
  }
  EXPECT_LE(difference, 1e-4f * largest);
  RecordProperty("relative_difference", std::to_string(difference / largest));
}

TEST_P(LlamaFixture, GreedyContinuationIsThatOfTransformers) {
  ASSERT_EQ(fixture.greedy.size(), 64u);
  EXPECT_EQ(testing::continuation_of(*model, fixture.prompt, 64, 128).tokens, fixture.greedy);
  EXPECT_EQ(testing::continuation_of(*model, fixture.prompt, 64, 5).tokens, fixture.greedy)
      << "in chunks of 5";
}

TEST_P(LlamaFixture, PromptEqualsDecodeBitForBit) {
  const auto at_once = testing::logits_of_prompt(*model, fixture.prompt, 128);
  EXPECT_EQ(testing::logits_of_prompt(*model, fixture.prompt, 1), at_once);
  const auto continuation = testing::continuation_of(*model, fixture.prompt, 20, 128);
  Tokens all = fixture.prompt;
  all.insert(all.end(), continuation.tokens.begin(), continuation.tokens.end());
  const auto together = testing::logits_of_prompt(*model, all, 128);
  for (size_t i = 0; i < continuation.logits.size(); ++i) {
    EXPECT_EQ(continuation.logits[i], together[fixture.prompt.size() - 1 + i]) << "token " << i;
  }
}

}  // namespace
}  // namespace linnet
