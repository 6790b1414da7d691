// The two formats of 8-bit codes, by their stated rules.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "base/float16.h"
#include "format/q8_0.h"
#include "format/q8_a.h"

namespace linnet {
namespace {

template <class Block>
Block encoded(void (*encode)(std::span<const float>, std::span<std::byte>), std::vector<float> numbers) {
  numbers.resize(32, 0.0f);
  Block block;
  encode(numbers, std::as_writable_bytes(std::span(&block, 1)));
  return block;
}

TEST(Q8_0, RoundsHalvesAwayFromZero) {
  const auto block = encoded<Q8_0Block>(encode_q8_0, {127, 0.5f, 1.5f, -2.5f, -127, 0.49f});
  EXPECT_EQ(half_to_float(block.scale), 1.0f);
  EXPECT_EQ(block.codes[0], 127);
  EXPECT_EQ(block.codes[1], 1);
  EXPECT_EQ(block.codes[2], 2);
  EXPECT_EQ(block.codes[3], -3);
  EXPECT_EQ(block.codes[4], -127);
  EXPECT_EQ(block.codes[5], 0);
}

TEST(Q8_0, HoldsABlockOfZeros) {
  const auto block = encoded<Q8_0Block>(encode_q8_0, {});
  EXPECT_EQ(block.scale, 0);
  for (const int8_t code : block.codes) EXPECT_EQ(code, 0);
}

TEST(Q8_0, DecodesCodesTimesScaleExactly) {
  Q8_0Block block{.scale = float_to_half(0.0123f), .codes = {}};
  for (int i = 0; i < 32; ++i) block.codes[i] = static_cast<int8_t>(i * 8 - 128);
  std::vector<float> got(32);
  decode_q8_0(std::as_bytes(std::span(&block, 1)), got);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(static_cast<double>(got[i]), static_cast<double>(half_to_float(block.scale)) * (i * 8 - 128));
  }
}

TEST(Q8A, RoundsHalvesToEvenAndSumsTheCodes) {
  const auto block = encoded<Q8ABlock>(encode_q8_a, {254, 1, 3, 5, -3, -254});
  EXPECT_EQ(block.scale, 2.0f);
  EXPECT_EQ(block.codes[0], 127);
  EXPECT_EQ(block.codes[1], 0);   // 0.5
  EXPECT_EQ(block.codes[2], 2);   // 1.5
  EXPECT_EQ(block.codes[3], 2);   // 2.5
  EXPECT_EQ(block.codes[4], -2);  // −1.5
  EXPECT_EQ(block.codes[5], -127);
  EXPECT_EQ(block.sum, 127 + 0 + 2 + 2 - 2 - 127);
}

TEST(Q8A, StoresTinyGroupsAsZeros) {
  const auto tiny = encoded<Q8ABlock>(encode_q8_a, {std::nextafter(kQ8ASmallest, 0.0f), -1e-40f});
  EXPECT_EQ(tiny.scale, 0.0f);
  EXPECT_EQ(tiny.sum, 0);
  EXPECT_EQ(tiny.codes[0], 0);
  const auto small = encoded<Q8ABlock>(encode_q8_a, {kQ8ASmallest});
  EXPECT_EQ(small.codes[0], 127);
  EXPECT_EQ(small.scale, kQ8ASmallest / 127.0f);
}

TEST(Q8A, LetsNanAndInfinityThroughTheScale) {
  for (const float special : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    const auto block = encoded<Q8ABlock>(encode_q8_a, {1, special, 2});
    EXPECT_TRUE(std::isnan(block.scale));
    EXPECT_EQ(block.sum, 0);
    for (const int8_t code : block.codes) EXPECT_EQ(code, 0);
    std::vector<float> got(32);
    decode_q8_a(std::as_bytes(std::span(&block, 1)), got);
    for (const float number : got) EXPECT_TRUE(std::isnan(number));
  }
}

TEST(Q8A, IsWithinHalfACode) {
  std::vector<float> numbers(32);
  for (int i = 0; i < 32; ++i) numbers[i] = std::sin(static_cast<float>(i) * 1.7f) * 3;
  const auto block = encoded<Q8ABlock>(encode_q8_a, numbers);
  std::vector<float> got(32);
  decode_q8_a(std::as_bytes(std::span(&block, 1)), got);
  for (int i = 0; i < 32; ++i) EXPECT_NEAR(got[i], numbers[i], static_cast<double>(block.scale) * 0.50001);
  EXPECT_EQ(block.sum, std::accumulate(block.codes, block.codes + 32, 0));
}

}  // namespace
}  // namespace linnet
