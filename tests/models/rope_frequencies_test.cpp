#include "models/rope_frequencies.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace linnet {
namespace {

double sum(const std::vector<float>& parts, size_t i) {
  return double{parts[2 * i]} + double{parts[2 * i + 1]};
}

TEST(RopeFrequencies, TwoFloatsHoldTheFloat64Value) {
  const auto parts = rope_frequencies(32, 10000, {}, {});
  ASSERT_EQ(parts.size(), 64u);
  EXPECT_EQ(sum(parts, 0), 1.0);
  for (size_t i = 0; i < 32; ++i) {
    const double expected = std::pow(10000.0, -static_cast<double>(i) / 32);
    EXPECT_NEAR(sum(parts, i), expected, expected * 0x1p-46) << i;
  }
}

TEST(RopeFrequencies, ScalingAndFactorsDivide) {
  const std::array<float, 4> factors{1, 2, 4, 8};
  const auto plain = rope_frequencies(4, 500, {}, {});
  const auto scaled = rope_frequencies(4, 500, {.linear = 2}, factors);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(sum(scaled, i), sum(plain, i) / 2 / double{factors[i]}, 1e-13) << i;
  }
}

}  // namespace
}  // namespace linnet
