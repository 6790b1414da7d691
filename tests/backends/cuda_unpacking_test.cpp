// What unpacking.h promises of tiles and of parts; no GPU is needed.
#include "backends/cuda/unpacking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/float16.h"

namespace linnet::cuda {
namespace {

constexpr Format kMixed[][2] = {{Format::f16, Format::bf16},
                                {Format::f32, Format::bf16},
                                {Format::q8_0, Format::bf16},
                                {Format::q8_0, Format::f16}};

// For every pair of formats and shapes of small and large products.
template <class Check>
void for_each_unpacking(Check&& check) {
  for (const auto& [weight, x] : kMixed) {
    for (const uint32_t n : {8u, 72u, 2048u, 2560u, 4104u, 8200u, 11264u, 28672u, 32000u, 151936u}) {
      for (const uint32_t k : {32u, 64u, 384u, 1024u, 2048u, 4096u, 5632u, 14336u, 65536u}) {
        SCOPED_TRACE(testing::Message() << weight << " for " << x << ", " << n << " × " << k);
        check(unpacking_of(weight, n, k, x));
      }
    }
  }
}

TEST(Unpacking, EveryRowIsInOneTileThatFitsItsPlace) {
  for_each_unpacking([](const Unpacking& unpacking) {
    ASSERT_GT(unpacking.tiles, 0u);
    EXPECT_EQ(unpacking.first_row(0), 0u);
    EXPECT_EQ(unpacking.first_row(unpacking.tiles), unpacking.n);
    for (uint32_t tile = 0; tile < unpacking.tiles; ++tile) {
      ASSERT_LT(unpacking.first_row(tile), unpacking.first_row(tile + 1));
      EXPECT_EQ(unpacking.first_row(tile) % 64, 0u);
      EXPECT_LE(size_t{unpacking.rows(tile)} * unpacking.k * sizeof(uint16_t), unpacking.part_bytes());
    }
    EXPECT_EQ(unpacking.part_bytes() % 256, 0u);
  });
}

TEST(Unpacking, NoTileIsASliver) {
  for_each_unpacking([](const Unpacking& unpacking) {
    uint32_t least = unpacking.n;
    uint32_t most = 0;
    for (uint32_t tile = 0; tile < unpacking.tiles; ++tile) {
      least = std::min(least, unpacking.rows(tile));
      most = std::max(most, unpacking.rows(tile));
    }
    EXPECT_LT(most - least, 128u);
  });
}

TEST(Unpacking, TilesStayInTheCacheWhereTheyNeedNotBeLarger) {
  for_each_unpacking([](const Unpacking& unpacking) {
    const size_t rows = unpacking.part_bytes() / sizeof(uint16_t) / unpacking.k;
    EXPECT_TRUE(unpacking.bytes() <= size_t{32} << 20 || rows <= 1024) << rows << " rows";
  });
}

TEST(Unpacking, IsForFormatsThatPartsCanHold) {
  EXPECT_EQ(unpacking_of(Format::q8_0, 64, 64, Format::f32).parts, 0u);
  EXPECT_EQ(unpacking_of(Format::q8_0, 64, 64, Format::q8_a).parts, 0u);
  EXPECT_EQ(unpacking_of(Format::bf16, 64, 64, Format::f16).parts, 0u);
  EXPECT_EQ(unpacking_of(Format::f32, 64, 64, Format::f16).parts, 0u);
}

float rounded(float value, Format format) {
  return format == Format::f16 ? half_to_float(float_to_half(value))
                               : bfloat16_to_float(float_to_bfloat16(value));
}

// What the parts of a weight leave of it, taken as kernels/unpack.cu takes them.
float left_of(float weight, Format stored, uint32_t k, Format x) {
  for (uint32_t parts = unpacking_of(stored, 64, k, x).parts; parts > 0; --parts)
    weight -= rounded(weight, x);
  return weight;
}

// Every code and a scale of every mantissa, at the ends and in the middle of the scales' range.
template <class Check>
void for_each_q8_0(Check&& check) {
  for (const uint32_t exponent : {0u, 1u, 8u, 22u}) {
    for (uint32_t mantissa = 0; mantissa < 1024; ++mantissa) {
      const float scale = half_to_float(static_cast<uint16_t>(exponent << 10 | mantissa));
      for (int code = -128; code < 128; ++code) check(scale * static_cast<float>(code));
    }
  }
}

TEST(Unpacking, PartsAreAllOfAnF16) {
  for (uint32_t bits = 0; bits < 0x7C00; ++bits)
    ASSERT_EQ(left_of(half_to_float(static_cast<uint16_t>(bits)), Format::f16, 64, Format::bf16), 0) << bits;
}

TEST(Unpacking, PartsAreAllOfAnF32) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 100000; ++i)
    ASSERT_EQ(left_of(normal(random), Format::f32, 64, Format::bf16), 0) << "weight " << i;
}

TEST(Unpacking, PartsAreAllOfAQ8_0InF16AndForShortSums) {
  for_each_q8_0([](float weight) {
    ASSERT_EQ(left_of(weight, Format::q8_0, 4096, Format::f16), 0) << weight;
    ASSERT_EQ(left_of(weight, Format::q8_0, 64, Format::bf16), 0) << weight;
  });
}

TEST(Unpacking, PartsAreNearlyAllOfAQ8_0ForLongSums) {
  bool exact = true;
  for_each_q8_0([&](float weight) {
    const float left = left_of(weight, Format::q8_0, 4096, Format::bf16);
    ASSERT_LE(std::abs(left), 0x1p-17f * std::abs(weight)) << weight;
    exact = exact && left == 0;
  });
  EXPECT_FALSE(exact) << "two parts would do for short sums too";
}

}  // namespace
}  // namespace linnet::cuda
