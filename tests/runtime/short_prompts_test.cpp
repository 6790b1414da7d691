// A device that wants short prompts as a program of their own gets one, and the same answers come of it.
#include <gtest/gtest.h>

#include "check/altered_device.h"
#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/text_model.h"
#include "runtime/tiny_model.h"

namespace linnet {
namespace {

constexpr uint32_t kShort = 16;
constexpr uint32_t kLonger = 40;
constexpr TextModelOptions kOptions{.context = 256, .slots = 2, .prompt_rows = 128, .logit_rows = 128};

// The reference, but for what it says of short prompts.
class WithShortPrompts final : public AlteredDevice {
 public:
  [[nodiscard]] DeviceInfo info() const override {
    DeviceInfo info = AlteredDevice::info();
    info.shorter_prompts = {kShort, kLonger, kOptions.prompt_rows};
    return info;
  }
  [[nodiscard]] std::unique_ptr<Executable> compile(const Program& program,
                                                    const CompileOptions& options) override {
    if (!program.extents.empty()) prompts.push_back(program.extents.front());
    return AlteredDevice::compile(program, options);
  }

  std::vector<ExtentInfo> prompts;  // rows of those that were compiled
};

TEST(ShortPrompts, HaveAProgramOfTheirOwnWhereTheDeviceWantsIt) {
  WithShortPrompts device;
  const TextModel model(testing::open_tiny_model({}), device, kOptions);
  ASSERT_EQ(device.prompts.size(), 3u);
  EXPECT_EQ(device.prompts[0].max, kShort);
  EXPECT_EQ(device.prompts[0].least, 0u);
  EXPECT_EQ(device.prompts[1].max, kLonger);
  EXPECT_EQ(device.prompts[1].least, kShort + 1) << "fewer rows never get there";
  EXPECT_EQ(device.prompts[2].max, 128u);
  EXPECT_EQ(device.prompts[2].least, kLonger + 1);
}

TEST(ShortPrompts, HaveNoneWhereAllPromptsAreShort) {
  WithShortPrompts device;
  TextModelOptions options = kOptions;
  options.prompt_rows = kShort;
  const TextModel model(testing::open_tiny_model({}), device, options);
  ASSERT_EQ(device.prompts.size(), 1u);
  EXPECT_EQ(device.prompts[0].max, kShort);
}

TEST(ShortPrompts, GiveTheSameLogitsBitForBit) {
  WithShortPrompts device;
  TextModel model(testing::open_tiny_model({}), device, kOptions);
  const auto reference = testing::open("reference");
  TextModel plain(testing::open_tiny_model({}), *reference, kOptions);
  const testing::Tokens tokens = testing::some_tokens(100, 5, model.vocabulary());
  for (const uint32_t chunk : {1u, kShort - 1, kShort, kShort + 1, kLonger, kLonger + 1, 100u}) {
    EXPECT_EQ(testing::logits_of_prompt(model, tokens, chunk), testing::logits_of_prompt(plain, tokens, 128))
        << "chunks of " << chunk;
  }
}

}  // namespace
}  // namespace linnet
