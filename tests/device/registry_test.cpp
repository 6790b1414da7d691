// Which device `auto` takes, and what it says of those that it passes over.
#include "device/registry.h"

#include <gtest/gtest.h>

#include "backends/reference/backend.h"

namespace linnet {
namespace {

// The reference by another name, with a reason not to be used or one that shows only when it is opened.
Backend backend_named(const std::string& name, const std::string& unavailable = {},
                      std::optional<Error> cannot_open = {}) {
  return {.name = name,
          .description = {},
          .compiled_in = true,
          .automatic = true,
          .unavailable = [unavailable] { return unavailable; },
          .open =
              [cannot_open](const DeviceOptions& options) {
                if (cannot_open) throw *cannot_open;
                return reference_backend().open(options);
              }};
}

const Error kFull(ErrorKind::does_not_fit, "[gpu] allocating pinned memory: out of memory");

TEST(Auto, TakesTheFirstThatCanBeUsedWithoutAWord) {
  EXPECT_EQ(open_device({backend_named("gpu"), backend_named("cpu")}, "auto", {}).note, "");
}

TEST(Auto, SaysInOneLineWhatItPassedOverAndWhy) {
  const OpenedDevice opened =
      open_device({backend_named("gpu", "no GPU was found"), backend_named("cpu")}, "auto", {});
  ASSERT_NE(opened.device, nullptr);
  EXPECT_EQ(opened.note, "using cpu: gpu cannot be used (no GPU was found)");
}

TEST(Auto, PassesOverOneThatCannotBeOpened) {
  const OpenedDevice opened =
      open_device({backend_named("gpu", {}, kFull), backend_named("cpu")}, "auto", {});
  ASSERT_NE(opened.device, nullptr);
  EXPECT_EQ(opened.note, "using cpu: gpu cannot be used ([gpu] allocating pinned memory: out of memory)");
}

TEST(Auto, SaysWhyThereIsNone) {
  try {
    static_cast<void>(
        open_device({backend_named("gpu", {}, kFull), backend_named("cpu", "too old")}, "auto", {}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_STREQ(
        error.what(),
        "no device can be used: gpu cannot be used ([gpu] allocating pinned memory: out of memory); cpu "
        "cannot be used (too old)");
  }
}

TEST(Auto, DoesNotHideAMistakeOfTheCaller) {
  const Error mistake(ErrorKind::usage, "threads: expected at most 256, got 257");
  EXPECT_THROW(
      static_cast<void>(open_device({backend_named("gpu", {}, mistake), backend_named("cpu")}, "auto", {})),
      Error);
}

TEST(NamedDevice, IsNeverAnother) {
  const Registry registry = {backend_named("gpu", {}, kFull), backend_named("cpu")};
  try {
    static_cast<void>(open_device(registry, "gpu", {}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), kFull.what());
  }
}

}  // namespace
}  // namespace linnet
