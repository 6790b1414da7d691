// The environment becomes options.
#include "files/hub/options.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "base/error.h"

namespace linnet::hub {
namespace {

using Variables = std::map<std::string, std::string>;

Options options(const Variables& variables) {
  return options_from_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(HubOptions, FindsTheCacheAsThePythonClientDoes) {
  EXPECT_EQ(options({{"HOME", "/h"}}).cache, "/h/.cache/huggingface/hub");
  EXPECT_EQ(options({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}).cache, "/x/huggingface/hub");
  EXPECT_EQ(options({{"HOME", "/h"}, {"HF_HOME", "~/hf"}}).cache, "/h/hf/hub");
  EXPECT_EQ(options({{"HOME", "/h"}, {"HF_HOME", "/hf"}, {"HF_HUB_CACHE", "/c"}}).cache, "/c");
  EXPECT_EQ(options({{"HF_HUB_CACHE", "/c"}}).cache, "/c");
  EXPECT_THROW(options({}), Error);
}

TEST(HubOptions, ReadsSwitchesEndpointAndProxies) {
  const auto plain = options({{"HOME", "/h"}});
  EXPECT_EQ(plain.endpoint, "https://huggingface.co");
  EXPECT_FALSE(plain.offline);
  for (const char* value : {"1", "true", "YES", "On"})
    EXPECT_TRUE(options({{"HOME", "/h"}, {"HF_HUB_OFFLINE", value}}).offline);
  EXPECT_FALSE(options({{"HOME", "/h"}, {"HF_HUB_OFFLINE", "0"}}).offline);
  const auto set = options({{"HOME", "/h"},
                            {"HF_ENDPOINT", "https://m"},
                            {"HTTPS_PROXY", "p"},
                            {"HTTP_PROXY", "evil"},
                            {"NO_PROXY", "n"}});
  EXPECT_EQ(set.endpoint, "https://m");
  EXPECT_EQ(set.proxies.https, "p");
  EXPECT_EQ(set.proxies.http, "");
  EXPECT_EQ(set.proxies.bypass, "n");
  EXPECT_EQ(options({{"HOME", "/h"}, {"all_proxy", "a"}}).proxies.http, "a");
}

TEST(HubOptions, TakesTheTokenFromTheEnvironmentOrItsFile) {
  const std::string path = ::testing::TempDir() + "linnet-hub-token";
  std::ofstream(path) << " hf_file \n";
  EXPECT_EQ(options({{"HOME", "/h"}, {"HF_TOKEN_PATH", path}}).token, "hf_file");
  EXPECT_EQ(options({{"HOME", "/h"}, {"HF_TOKEN_PATH", path}, {"HF_TOKEN", "hf_env\n"}}).token, "hf_env");
  EXPECT_EQ(options({{"HOME", "/h"}}).token, "");
  EXPECT_THROW(options({{"HOME", "/h"}, {"HF_TOKEN", "a\r\nX-Evil: 1"}}), Error);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace linnet::hub
