#include "runtime/memory_plan.h"

#include <gtest/gtest.h>

#include "check/altered_device.h"
#include "files/gguf.h"
#include "runtime/devices.h"
#include "runtime/text_model.h"
#include "runtime/tiny_model.h"

namespace linnet {
namespace {

using testing::TemporaryPath;
using testing::TinyModel;

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

class MemoryPlanOn : public testing::EachDevice {};
LINNET_FOR_EACH_DEVICE(MemoryPlanOn);

class RefusalOn : public testing::EachDevice {};
LINNET_FOR_EACH_DEVICE(RefusalOn);

// 7,241,732,096 weights of 4 bytes are 26.98 GiB; keys and values of 4096 tokens 1 GiB; the rest is small.
TEST_P(MemoryPlanOn, StatesALargeModelFromItsHeader) {
  const TinyModel large{.width = 4096,
                        .layers = 32,
                        .heads = 32,
                        .kv_heads = 8,
                        .mlp_width = 14336,
                        .context = 8192,
                        .vocabulary = 32000};
  const TemporaryPath path;
  testing::write_header_only(path, large);
  const ModelFiles file = open_gguf(path);
  const CompileOptions f32{.activations = Format::f32, .kv = Format::f32};
  const MemoryPlan plan = plan_memory(file, {.context = 4096, .prompt_rows = 256, .compile = f32}, *device);
  const size_t layer = size_t{4096} * (4096 + 1024 + 1024 + 4096) + 3 * size_t{4096} * 14336 + 2 * 4096;
  const size_t weights = 4 * (32 * layer + 2 * size_t{32000} * 4096 + 4096 + 128);
  EXPECT_NEAR(static_cast<double>(plan.weights), static_cast<double>(weights),
              0.001 * static_cast<double>(weights));
  // 64 pages and page 0, in 32 layers, for keys and values.
  EXPECT_EQ(plan.kv, size_t{65} * 64 * 1024 * 4 * 2 * 32);
  EXPECT_NEAR(static_cast<double>(plan.total) / kGiB, 28.1, 0.15);
  EXPECT_EQ(plan.total, plan.weights + plan.kv + plan.scratch + plan.other);
  EXPECT_EQ(plan.fits, plan.total <= plan.available);
}

TEST_P(MemoryPlanOn, KeysAndValuesGrowWithContextAndSlots) {
  const ModelFiles file = testing::open_tiny_model({.context = 1024});
  const auto kv = [&](uint32_t context, uint32_t slots) {
    return plan_memory(file, {.context = context, .slots = slots}, *device).kv;
  };
  const size_t page = kv(64, 1) / 2;  // page 0 and one more
  EXPECT_EQ(kv(128, 1), 3 * page);
  EXPECT_EQ(kv(65, 1), 3 * page);
  EXPECT_EQ(kv(128, 4), 9 * page);
}

TEST_P(MemoryPlanOn, ScratchIsThatOfTheCompiledPrograms) {
  const ModelFiles file = testing::open_tiny_model({});
  const TextPrograms programs = record_text_programs(file, {.slots = 4}, *device);
  size_t scratch = 0;
  for (const Program& prompt : programs.prompts)
    scratch = std::max(scratch, device->compile(prompt, programs.compile)->plan().scratch_bytes);
  for (const Program& decode : programs.decode) {
    scratch = std::max(scratch, device->compile(decode, programs.compile)->plan().scratch_bytes);
  }
  EXPECT_EQ(plan_memory(programs, *device).scratch, scratch);
}

TEST_P(RefusalOn, ComesBeforeLoadingWhatDoesNotFit) {
  // Two terabytes of weights in a file that is a hole: touching them would show.
  const TinyModel huge{.width = 16384,
                       .layers = 64,
                       .heads = 128,
                       .kv_heads = 128,
                       .mlp_width = 131072,
                       .context = 4096,
                       .vocabulary = 32000};
  const TemporaryPath path;
  try {
    testing::write_header_only(path, huge);
  } catch (const std::filesystem::filesystem_error&) {
    GTEST_SKIP() << "this file system has no sparse files of 2 TB";
  }
  try {
    TextModel model(open_gguf(path), *device);
    FAIL() << "it was loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::does_not_fit);
    const std::string message = error.what();
    EXPECT_NE(message.find("TiB"), std::string::npos) << message;
    EXPECT_NE(message.find("free; try a smaller"), std::string::npos) << message;
  }
}

TEST_P(RefusalOn, LeavesADeviceThatGoesOn) {
  try {
    static_cast<void>(device->allocate_scratch(size_t{1} << 60));
    FAIL() << "there was so much memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::does_not_fit) << error.what();
  }
  EXPECT_NO_THROW(TextModel(testing::open_tiny_model({}), *device));
}

// The reference, as if its kernels took memory of the device.
class DeviceWithCode final : public AlteredDevice {
 public:
  static constexpr size_t kCode = 12345678;
  [[nodiscard]] Footprint footprint(const Program& program, const CompileOptions& options) const override {
    Footprint footprint = AlteredDevice::footprint(program, options);
    footprint.code = kCode;
    return footprint;
  }
};

TEST(MemoryPlan, HasTheCodeOfADeviceOnce) {
  const ModelFiles file = testing::open_tiny_model({});
  const MemoryPlan plain = plan_memory(file, {.slots = 4}, AlteredDevice());
  const MemoryPlan plan = plan_memory(file, {.slots = 4}, DeviceWithCode());
  EXPECT_EQ(plan.other, plain.other + DeviceWithCode::kCode);
  EXPECT_EQ(plan.total, plain.total + DeviceWithCode::kCode);
}

TEST(MemoryPlan, AdvisesASmallerContextWhenThatWouldDo) {
  MemoryPlan plan{.weights = 100, .kv = 1000, .total = 1100, .available = 500, .context = 4096, .slots = 2};
  try {
    require_fit(plan);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--context, now 4096) or fewer slots (now 2)"),
              std::string::npos)
        << error.what();
  }
  plan.fits = true;
  EXPECT_NO_THROW(require_fit(plan));
}

TEST(MemoryPlan, WritesBytesReadably) {
  EXPECT_EQ(readable_bytes(17), "17 B");
  EXPECT_EQ(readable_bytes(1536), "1.50 KiB");
  EXPECT_EQ(readable_bytes(size_t{28} << 30), "28.00 GiB");
}

}  // namespace
}  // namespace linnet
