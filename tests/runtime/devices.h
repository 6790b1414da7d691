// Devices for tests that run on every backend of this build that computes on this machine.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "backends/compiled_in.h"
#include "device/registry.h"

namespace linnet::testing {

[[nodiscard]] inline bool can_open(const std::string& name) {
  const Registry registry = compiled_in_backends();
  const auto found = std::ranges::find(registry, name, &Backend::name);
  return found != registry.end() && found->compiled_in && found->unavailable().empty();
}

[[nodiscard]] inline std::unique_ptr<Device> open(const std::string& name, unsigned threads = 2) {
  return open_device(compiled_in_backends(), name, {.threads = threads, .instruction_set = {}}).device;
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

#define LINNET_FOR_EACH_DEVICE(suite) \
  INSTANTIATE_TEST_SUITE_P(On, suite, ::testing::Values("cpu", "reference"), linnet::testing::device_name)
