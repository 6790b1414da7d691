// The plan against what the operating system reports, for a model of more than 1 GB.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "files/gguf.h"
#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/text_model.h"
#include "runtime/tiny_model.h"

namespace linnet {
namespace {

// Private and mapped bytes of this process that are in memory.
size_t resident_bytes() {
  std::ifstream in("/proc/self/smaps_rollup");
  std::string word;
  while (in >> word) {
    size_t kilobytes = 0;
    if (word == "Rss:" && in >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

class ResidentMemory : public ::testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(Of, ResidentMemory, ::testing::Values(Format::f16, Format::q8_0),
                         [](const auto& each) { return std::string(traits(each.param).name); });

TEST_P(ResidentMemory, IsWithinFivePercentOfThePlan) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own memory counts too";
#endif
  if (!testing::can_open("cpu")) GTEST_SKIP() << "this build has no device 'cpu'";
  if (resident_bytes() == 0) GTEST_SKIP() << "this system has no /proc/self/smaps_rollup";
  // 562 million weights as f16, 1.07 billion as Q8_0: a little more than 1 GB each.
  const testing::TinyModel large{.width = 2048,
                                 .layers = GetParam() == Format::f16 ? 9u : 20u,
                                 .heads = 32,
                                 .kv_heads = 4,
                                 .mlp_width = 5632,
                                 .context = 2048,
                                 .vocabulary = 32000,
                                 .format = GetParam()};
  const testing::TemporaryPath path;
  const std::filesystem::path& file = path;
  if (std::filesystem::space(file.parent_path()).available < (size_t{3} << 30)) {
    GTEST_SKIP() << "no room for the model in " << file.parent_path();
  }
  testing::write_tiny_model(path, large);
  ASSERT_GT(std::filesystem::file_size(file), size_t{1'000'000'000});
  const auto device = testing::open("cpu");
  TextModel model(open_gguf(file), *device, {.context = 2048});
  const auto prompt = testing::some_tokens(300, 1, testing::tiny_vocabulary_size());
  (void)testing::continuation_of(model, prompt, 4, model.prompt_rows());
  const auto planned = static_cast<double>(model.plan().total);
  const auto resident = static_cast<double>(resident_bytes());
  EXPECT_NEAR(resident / planned, 1.0, 0.05)
      << "planned " << readable_bytes(model.plan().total) << ", resident "
      << readable_bytes(static_cast<size_t>(resident));
  RecordProperty("resident_over_planned", std::to_string(resident / planned));
  std::cout << "resident / planned: " << resident / planned << '\n';
}

}  // namespace
}  // namespace linnet
