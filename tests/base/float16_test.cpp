#include "base/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace linnet {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Half, RoundTripsEveryPattern) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = half_to_float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value)))) << bits;
      EXPECT_EQ(float_to_half(value) & 0x8000u, half & 0x8000u);
    } else {
      EXPECT_EQ(float_to_half(value), half);
    }
  }
}

TEST(Half, MeansWhatTheStandardSays) {
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const int exponent = static_cast<int>(bits >> 10);
    const double mantissa = bits & 0x3FFu;
    const double expected =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    EXPECT_EQ(static_cast<double>(half_to_float(static_cast<uint16_t>(bits))), expected);
  }
  EXPECT_EQ(half_to_float(0x7C00), kInfinity);
  EXPECT_EQ(half_to_float(0xFC00), -kInfinity);
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
}

TEST(Half, RoundsTiesToEvenBetweenAllNeighbours) {
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto low = static_cast<uint16_t>(bits);
    const auto high = static_cast<uint16_t>(bits + 1);
    const float middle = (half_to_float(low) + half_to_float(high)) / 2;  // exact in float
    EXPECT_EQ(float_to_half(middle), (bits & 1) == 0 ? low : high) << bits;
    EXPECT_EQ(float_to_half(std::nextafter(middle, 0.0f)), low) << bits;
    EXPECT_EQ(float_to_half(std::nextafter(middle, kInfinity)), high) << bits;
  }
}

TEST(Half, OverflowsAndUnderflowsAtTheRightPlace) {
  EXPECT_EQ(float_to_half(65504.0f), 0x7BFF);
  EXPECT_EQ(float_to_half(std::nextafter(65520.0f, 0.0f)), 0x7BFF);
  EXPECT_EQ(float_to_half(65520.0f), 0x7C00);
  EXPECT_EQ(float_to_half(-1e30f), 0xFC00);
  EXPECT_EQ(float_to_half(0x1p-25f), 0x0000);  // half of the smallest: to even
  EXPECT_EQ(float_to_half(std::nextafter(0x1p-25f, 1.0f)), 0x0001);
  EXPECT_EQ(float_to_half(-0.0f), 0x8000);
}

TEST(Bfloat16, RoundTripsEveryPattern) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<uint16_t>(bits);
    const float value = bfloat16_to_float(pattern);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(value))));
    } else {
      EXPECT_EQ(float_to_bfloat16(value), pattern);
    }
  }
}

TEST(Bfloat16, RoundsTiesToEven) {
  EXPECT_EQ(float_to_bfloat16(1.0f + 0x1p-8f), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(1.0f + 3 * 0x1p-8f), 0x3F82);
  EXPECT_EQ(float_to_bfloat16(1.0f + 0x1p-8f + 0x1p-20f), 0x3F81);
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7F80);
  const float barely_nan = std::bit_cast<float>(0x7F800001u);  // truncation would make it infinite
  EXPECT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(barely_nan))));
}

}  // namespace
}  // namespace linnet
