// A device that wants short prompts as a program of their own gets one, and the same answers come of it.
#include <gtest/gtest.h>

#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/text_model.h"
#include "runtime/tiny_model.h"

namespace linnet {
namespace {

constexpr uint32_t kShort = 16;
constexpr TextModelOptions kOptions{.context = 256, .slots = 2, .prompt_rows = 128, .logit_rows = 128};

// The CPU, but for what it says of short prompts.
class WithShortPrompts final : public Device {
 public:
  [[nodiscard]] DeviceInfo info() const override {
    DeviceInfo info = cpu_->info();
    info.short_prompt_rows = kShort;
    return info;
  }
  [[nodiscard]] Lowered lower(const Op& op, const CompileOptions& options, Recorder& into) const override {
    return cpu_->lower(op, options, into);
  }
  [[nodiscard]] size_t workspace(const Program& program, const Op& op) const override {
    return cpu_->workspace(program, op);
  }
  [[nodiscard]] Footprint footprint(const Program& program, const CompileOptions& options) const override {
    return cpu_->footprint(program, options);
  }
  [[nodiscard]] std::unique_ptr<Buffer> load(const WeightSpec& spec, const ByteSource& source) override {
    return cpu_->load(spec, source);
  }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(const ValueInfo& value) override {
    return cpu_->allocate(value);
  }
  [[nodiscard]] std::unique_ptr<Buffer> allocate_scratch(size_t bytes) override {
    return cpu_->allocate_scratch(bytes);
  }
  void write(Buffer& buffer, size_t offset, std::span<const std::byte> bytes) override {
    cpu_->write(buffer, offset, bytes);
  }
  void read(const Buffer& buffer, size_t offset, std::span<std::byte> into, Completion done) override {
    cpu_->read(buffer, offset, into, std::move(done));
  }
  void poll() override { cpu_->poll(); }
  bool wait(std::chrono::nanoseconds timeout) override { return cpu_->wait(timeout); }
  [[nodiscard]] std::unique_ptr<Executable> compile(const Program& program,
                                                    const CompileOptions& options) override {
    if (!program.extents.empty()) prompts.push_back(program.extents.front());
    return cpu_->compile(program, options);
  }
  [[nodiscard]] Receipt receipt() const override { return cpu_->receipt(); }

  std::vector<ExtentInfo> prompts;  // rows of those that were compiled

 private:
  std::unique_ptr<Device> cpu_ = testing::open("cpu");
};

TEST(ShortPrompts, HaveAProgramOfTheirOwnWhereTheDeviceWantsIt) {
  WithShortPrompts device;
  const TextModel model(testing::open_tiny_model({}), device, kOptions);
  ASSERT_EQ(device.prompts.size(), 2u);
  EXPECT_EQ(device.prompts[0].max, kShort);
  EXPECT_EQ(device.prompts[0].least, 0u);
  EXPECT_EQ(device.prompts[1].max, 128u);
  EXPECT_EQ(device.prompts[1].least, kShort + 1) << "fewer rows never get there";
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
  const auto cpu = testing::open("cpu");
  TextModel plain(testing::open_tiny_model({}), *cpu, kOptions);
  const testing::Tokens tokens = testing::some_tokens(100, 5, model.vocabulary());
  for (const uint32_t chunk : {1u, kShort - 1, kShort, kShort + 1, 100u}) {
    EXPECT_EQ(testing::logits_of_prompt(model, tokens, chunk), testing::logits_of_prompt(plain, tokens, 128))
        << "chunks of " << chunk;
  }
}

}  // namespace
}  // namespace linnet
