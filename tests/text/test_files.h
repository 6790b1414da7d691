// Where test data lies, and reading it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace linnet::test {

// Data from outside of the repository; may be absent.
[[nodiscard]] inline std::filesystem::path testdata() {
  if (const char* folder = std::getenv("LINNET_TESTDATA")) return folder;
  return std::filesystem::path(LINNET_SOURCE_DIR) / ".." / "shared" / "testdata";
}

[[nodiscard]] inline std::filesystem::path tokenizer_fixtures() {
  return std::filesystem::path(LINNET_SOURCE_DIR) / "tests" / "fixtures" / "tokenizers";
}

[[nodiscard]] inline std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace linnet::test
