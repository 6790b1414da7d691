// Names from users and from servers, and the hash that an ETag promises.
#include "files/hub/names.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "base/error.h"
#include "files/hub/cache.h"
#include "files/hub/digest.h"

namespace linnet::hub {
namespace {

TEST(HubNames, SplitsRepositoryRevisionAndQuantization) {
  const auto plain = parse_model_name("org/repo");
  EXPECT_EQ(plain.repo, "org/repo");
  EXPECT_EQ(plain.revision, "main");
  EXPECT_EQ(plain.quant, "");
  const auto full = parse_model_name("My-Org_1/re.po-2@refs/pr/3:Q4_K_M");
  EXPECT_EQ(full.repo, "My-Org_1/re.po-2");
  EXPECT_EQ(full.revision, "refs/pr/3");
  EXPECT_EQ(full.quant, "Q4_K_M");
  EXPECT_EQ(parse_model_name("a/b:sub/model.gguf").quant, "sub/model.gguf");
}

TEST(HubNames, RefusesWhatCouldLeaveTheCache) {
  for (const char* name : {"",
                           "repo",
                           "/repo",
                           "org/",
                           "org/repo/x",
                           "../repo",
                           "org/..",
                           "org/re--po",
                           "org/.repo",
                           "org/repo.git",
                           "org/re po",
                           "org/repo@",
                           "org/repo@../x",
                           "org/repo@a\nb",
                           "org/repo:",
                           "org/repo:../x.gguf",
                           "org/repo:a/b",
                           "./model",
                           "/tmp/model.gguf",
                           "org/repo:Q8_0:Q4_0",
                           "org/repo@x@y\\z"}) {
    EXPECT_FALSE(is_model_name(name)) << name;
    EXPECT_THROW((void)parse_model_name(name), Error) << name;
  }
  EXPECT_FALSE(is_model_name("org/" + std::string(97, 'a')));
}

TEST(HubNames, AcceptsFileNamesThatStayInside) {
  for (const char* name :
       {"config.json", ".gitattributes", "1_Pooling/config.json", "a..b", "ü/model (1).gguf"}) {
    EXPECT_TRUE(is_safe_path(name)) << name;
  }
  for (const char* name :
       {"", "/etc/passwd", "..", "../x", "a/../b", "a/..", "a//b", "a/", "./a", "a\\b", "a\tb", "\x7F"}) {
    EXPECT_FALSE(is_safe_path(name)) << name;
    EXPECT_THROW(check_file_name(name), Error) << name;
  }
  EXPECT_FALSE(is_safe_path(std::string("a\0b", 3)));
  EXPECT_FALSE(is_safe_path(std::string(256, 'a')));
  EXPECT_FALSE(is_safe_path(std::string(1025, 'a')));
}

TEST(HubNames, FoldersOfTheCacheAreTheNamesOfRepositories) {
  EXPECT_EQ(folder_name("org/repo"), "models--org--repo");
  EXPECT_EQ(repo_of_folder("models--org--repo-1"), "org/repo-1");
  for (const char* folder :
       {"datasets--org--repo", "models--gpt2", ".locks", "models--", "models--a--b--c", "version.txt"}) {
    EXPECT_EQ(repo_of_folder(folder), std::nullopt) << folder;
  }
}

std::string hash(const FileIdentity& identity, std::string_view text) {
  Digest digest(identity);
  digest.add(std::as_bytes(std::span(text)));
  return digest.finish();
}

TEST(HubDigest, ReadsTheKindOfHashFromTheEtag) {
  const std::string sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";  // sha256sum
  const std::string blob = "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0";  // git hash-object
  EXPECT_EQ(hash({sha256, 5}, "hello"), sha256);
  EXPECT_EQ(hash({blob, 5}, "hello"), blob);
  EXPECT_EQ(normalize_etag("\"" + blob + "\""), blob);
  EXPECT_EQ(normalize_etag("W/\"" + sha256 + "\""), sha256);
  EXPECT_EQ(normalize_etag("B6FC4C620B67D95F953A5C1C1230AAAB5DB5A1B0"), blob);
  for (const char* etag : {"", "\"\"", "\"abc\"", "\"../../../../../../../../../../../../etc/pass\"",
                           "-b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0"}) {
    EXPECT_THROW((void)normalize_etag(etag), Error) << etag;
  }
}

}  // namespace
}  // namespace linnet::hub
