// A test of the public API with the name of a backend as parameter; skipped where there is no such device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <linnet/linnet.hpp>
#include <string>

class OnEachDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto all = linnet::backends();
    const auto found = std::ranges::find(all, GetParam(), &linnet::BackendStatus::name);
    ASSERT_NE(found, all.end());
    if (!found->unavailable.empty()) GTEST_SKIP() << found->unavailable;
  }

  [[nodiscard]] const linnet::Device& device() {
    if (!device_) device_ = linnet::open_device(GetParam());
    return *device_;
  }

 private:
  std::optional<linnet::Device> device_;
};

#define LINNET_ON_EACH_DEVICE(suite)                                               \
  INSTANTIATE_TEST_SUITE_P(On, suite, testing::Values("cpu", "reference", "cuda"), \
                           [](const auto& each) { return std::string(each.param); })
