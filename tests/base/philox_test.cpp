#include "base/philox.h"

#include <gtest/gtest.h>

namespace linnet {
namespace {

using Numbers = std::array<uint32_t, 4>;

// Known answers of Random123 1.14, examples/kat_vectors.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, 0), (Numbers{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, ~uint64_t{0}),
            (Numbers{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822ull),
            (Numbers{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, UniformNumbersLieInTheUnitIntervalAndDependOnSeedAndPosition) {
  double sum = 0;
  for (uint32_t position = 0; position < 10000; ++position) {
    const float u = philox_uniform(42, position);
    ASSERT_GE(u, 0.0f);
    ASSERT_LT(u, 1.0f);
    sum += static_cast<double>(u);
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.015);  // five standard deviations
  EXPECT_NE(philox_uniform(42, 7), philox_uniform(43, 7));
  EXPECT_NE(philox_uniform(42, 7), philox_uniform(42, 8));
  EXPECT_EQ(philox_uniform(0, 0), static_cast<float>(0x6627e8) * 0x1p-24f);
}

}  // namespace
}  // namespace linnet
