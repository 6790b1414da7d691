// Devices for tests that run on every backend of this build that computes on this machine.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "backends/compiled_in.h"
#include "device/registry.h"
#include "program/compile_options.h"

namespace linnet::testing {

[[nodiscard]] inline bool can_open(const std::string& name) {
  const Registry registry = compiled_in_backends();
  const auto found = std::ranges::find(registry, name, &Backend::name);
  return found != registry.end() && found->compiled_in && found->unavailable().empty();
}

[[nodiscard]] inline std::unique_ptr<Device> open(const std::string& name, unsigned threads = 2) {
  return open_device(compiled_in_backends(), name, {.threads = threads, .instruction_set = {}}).device;
}

// A GPU adds up in another order when there are more rows; elsewhere a sum has one order.
[[nodiscard]] inline bool sums_have_one_order(const Device& device) {
  return device.info().backend != "cuda";
}

// For tests that go two ways and expect the same tokens: F32 where the order of sums changes, so that only
// a tie of some millionths could part them; otherwise what the device itself prefers.
[[nodiscard]] inline std::optional<CompileOptions> steady_compile(const Device& device) {
  if (sums_have_one_order(device)) return {};
  return CompileOptions{.activations = Format::f32, .kv = Format::f32};
}

// A test with the backend's name as parameter.
class EachDevice : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!can_open(GetParam())) GTEST_SKIP() << "no device '" << GetParam() << "' can be used here";
    device = open(GetParam());
  }
  std::unique_ptr<Device> device;
};

inline std::string device_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace linnet::testing

#define LINNET_FOR_EACH_DEVICE(suite)                                                \
  INSTANTIATE_TEST_SUITE_P(On, suite, ::testing::Values("cpu", "reference", "cuda"), \
                           linnet::testing::device_name)
