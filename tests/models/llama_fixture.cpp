#include "models/llama_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace linnet::testing {
namespace {

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

}  // namespace

LlamaFixtureFiles::LlamaFixtureFiles(const std::string& name) {
  const auto folder = std::filesystem::path(LINNET_SOURCE_DIR) / "tests/fixtures/llama";
  gguf = folder / (name + ".gguf");
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

void expect_same_logits(const std::vector<Logits>& got, const std::vector<Logits>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  float largest = 0;
  for (const Logits& row : expected) {
    for (const float logit : row) largest = std::max(largest, std::abs(logit));
  }
  ASSERT_GT(largest, 1.0f);
  float difference = 0;
  for (size_t row = 0; row < got.size(); ++row) {
    ASSERT_EQ(got[row].size(), expected[row].size());
    for (size_t i = 0; i < got[row].size(); ++i) {
      ASSERT_TRUE(std::isfinite(got[row][i]));
      difference = std::max(difference, std::abs(got[row][i] - expected[row][i]));
    }
  }
  EXPECT_LE(difference, 1e-4f * largest);
  ::testing::Test::RecordProperty("relative_difference", std::to_string(difference / largest));
}

}  // namespace linnet::testing
