// What walk_words.h promises: numbers come back as they were sent, and a reader knows a word that is not his.
#include "backends/cuda/kernels/walk_words.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace linnet::cuda {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::array kNumbers = {0.0f,  -0.0f,   1.0f,      -1.0f,     0.3f,     -2.7f,
                                 1e-9f, 65504.f, -3.39e15f, 0x1p-126f, 0x1p-62f, 0x1.FCp+64f};

struct Two {
  float first;
  float second;
};
Two two_of(uint32_t pair) {
  const uint32_t numbers = numbers_of_pair(pair);
  return {std::bit_cast<float>(numbers << 16), std::bit_cast<float>(numbers & 0xFFFF0000u)};
}

TEST(WalkWords, ANumberKeepsSixteenBitsOfItsFraction) {
  for (const float number : kNumbers) {
    for (const uint32_t tag : {0u, 1u, 255u, 1000u}) {
      const uint32_t word = word_of(number, tag);
      EXPECT_NEAR(number_of(word), number, std::abs(number) * 0x1p-16f) << number;
      EXPECT_EQ(std::signbit(number_of(word)), std::signbit(number)) << number;
      EXPECT_TRUE(fresh(word, tag));
      EXPECT_FALSE(fresh(word, tag + 1));
      EXPECT_FALSE(fresh(word, tag - 1));
    }
  }
}

TEST(WalkWords, WhatIsNoNumberStaysSo) {
  EXPECT_TRUE(std::isnan(number_of(word_of(kNaN, 7))));
  EXPECT_TRUE(std::isnan(number_of(word_of(-kNaN, 255))));
  EXPECT_EQ(number_of(word_of(kInfinity, 255)), kInfinity);
  EXPECT_EQ(number_of(word_of(-kInfinity, 255)), -kInfinity);
}

TEST(WalkWords, PairsAreWhatBf16Makes) {
  for (const float first : kNumbers) {
    for (const float second : kNumbers) {
      for (const uint32_t tag : {0u, 1u, 2u, 3u, 4u, 1001u}) {
        const Two two = two_of(pair_of(first, second, tag));
        const auto expect = [](float got, float sent) {
          // What is smaller than 2^-62 may lose bits, as small numbers do.
          EXPECT_NEAR(got, __bfloat162float(__float2bfloat16_rn(sent)), 0x1p-69f) << sent;
          EXPECT_EQ(std::signbit(got), std::signbit(sent)) << sent;
        };
        expect(two.first, first);
        expect(two.second, second);
      }
    }
  }
}

TEST(WalkWords, APairOfAnotherUseIsSeen) {
  for (const float number : {0.0f, -2.5f, 0x1.FCp+64f, kNaN, kInfinity}) {
    for (uint32_t tag = 0; tag < 8; ++tag) {
      const uint32_t pair = pair_of(number, -number, tag);
      EXPECT_EQ((pair ^ pair_tag(tag)) & kPairTag, 0u);
      EXPECT_NE((pair ^ pair_tag(tag + 1)) & kPairTag, 0u);
      EXPECT_NE((pair ^ pair_tag(tag - 1)) & kPairTag, 0u);
    }
  }
}

TEST(WalkWords, WhatAPairCannotHoldIsNoNumberAndItsNeighbourIsUnharmed) {
  for (const float number : {kNaN, kInfinity, -kInfinity, 1e20f, -3e38f}) {
    const Two before = two_of(pair_of(number, 1.5f, 3));
    EXPECT_TRUE(std::isnan(before.first)) << number;
    EXPECT_EQ(before.second, 1.5f);
    const Two after = two_of(pair_of(-1.5f, number, 3));
    EXPECT_EQ(after.first, -1.5f);
    EXPECT_TRUE(std::isnan(after.second)) << number;
  }
}

TEST(WalkWords, WhatIsNoNumberIsLargerThanAllOthersOnceMovedBack) {
  for (uint32_t half = 0; half < 1u << 16; ++half) {
    const auto moved = std::bit_cast<float>(moved_back(half) << 16);
    const auto number = std::bit_cast<float>(numbers_of_pair(half) << 16);
    ASSERT_EQ(std::abs(moved) >= kNaNMovedBack, std::isnan(number)) << half;
    if (std::isnan(number)) continue;
    ASSERT_EQ(moved, number) << half;
  }
}

TEST(WalkWords, FourPairsAtOnceAreWhatEachIs) {
  // Every number beside every kind of neighbour, in each place.
  const std::array others = {pair_of(0.7f, -3, 1), pair_of(kNaN, 1, 2), pair_of(0, kInfinity, 3)};
  const auto expect_same = [](const uint4& words) {
    const uint4 numbers = numbers_of_pairs(words);
    ASSERT_EQ(numbers.x, numbers_of_pair(words.x));
    ASSERT_EQ(numbers.y, numbers_of_pair(words.y));
    ASSERT_EQ(numbers.z, numbers_of_pair(words.z));
    ASSERT_EQ(numbers.w, numbers_of_pair(words.w));
  };
  for (uint32_t half = 0; half < 1u << 16; ++half) {
    for (const uint32_t other : others) {
      const uint32_t low = half | (other & 0xFFFF0000u);
      const uint32_t high = half << 16 | (other & 0xFFFFu);
      expect_same({low, other, high, other});
      expect_same({other, high, other, low});
    }
  }
}

}  // namespace
}  // namespace linnet::cuda
