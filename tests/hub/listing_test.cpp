// JSON from the server.
#include "files/hub/listing.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace linnet::hub {
namespace {

const std::string kCommit(40, 'a');

std::string listing(const std::string& siblings) {
  return R"({"id": "org/repo", "tags": [["x"]], "sha": ")" + kCommit + R"(", "siblings": )" + siblings + "}";
}

TEST(HubListing, KeepsNamesSizesAndHashes) {
  const auto parsed = parse_listing(listing(R"([
      {"rfilename": "config.json", "size": 12, "blobId": "b"},
      {"rfilename": "m.gguf", "size": 130, "lfs": {"sha256": "ab", "size": 99, "pointerSize": 130}},
      {"rfilename": "x"}])"));
  EXPECT_EQ(parsed.commit, kCommit);
  ASSERT_EQ(parsed.files.size(), 3u);
  EXPECT_EQ(parsed.files[0].size, 12u);
  EXPECT_EQ(parsed.files[1].size, 99u);
  EXPECT_EQ(parsed.files[1].sha256, "ab");
  EXPECT_EQ(parsed.files[2].size, std::nullopt);
}

TEST(HubListing, RefusesWhatAServerShouldNotSend) {
  const std::string deep(100'000, '[');
  for (const std::string& json :
       {std::string(""), std::string("[]"), std::string("{}"), listing("{}"), listing("[1]"),
        listing(R"([{"size": 1}])"), listing(R"([{"rfilename": "../../.bashrc"}])"),
        listing(R"([{"rfilename": "/etc/passwd"}])"), listing(R"([{"rfilename": "a\u0000b"}])"),
        listing(R"([{"rfilename": "a\nb"}])"), listing(R"([{"rfilename": 7}])"), listing(deep),
        std::string(R"({"other": )") + deep, std::string(R"({"sha": "../..", "siblings": []})"),
        listing("[]").substr(0, 60), std::string("{\"sha\": \"\xff\"}")}) {
    EXPECT_THROW((void)parse_listing(json), Error) << json.substr(0, 80);
  }
}

TEST(HubListing, FindsTheShardsOfAnIndex) {
  const auto shards = parse_shards(
      R"({"metadata": {}, "weight_map": {"a": "2.safetensors", "b": "1.safetensors", "c": "2.safetensors"}})");
  EXPECT_EQ(shards, (std::vector<std::string>{"1.safetensors", "2.safetensors"}));
  for (const char* json : {"{}", R"({"weight_map": []})", R"({"weight_map": {"a": 1}})",
                           R"({"weight_map": {}})", R"({"weight_map": {"a": "../x"}})"}) {
    EXPECT_THROW((void)parse_shards(json), Error) << json;
  }
}

}  // namespace
}  // namespace linnet::hub
