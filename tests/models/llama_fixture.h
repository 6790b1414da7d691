// The small random models of tests/fixtures/llama with the results of transformers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/sequences.h"

namespace linnet::testing {

struct LlamaFixtureFiles {
  explicit LlamaFixtureFiles(const std::string& name);

  std::filesystem::path gguf;
  Tokens prompt, greedy;
  std::vector<Logits> logits;  // of each token of the prompt
};

// Within 1e-4 of the largest.
void expect_same_logits(const std::vector<Logits>& got, const std::vector<Logits>& expected);

}  // namespace linnet::testing
