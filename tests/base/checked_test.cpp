#include "base/checked.h"

#include <gtest/gtest.h>

namespace linnet {
namespace {

constexpr uint64_t kMax = ~uint64_t{0};

TEST(Checked, MultipliesUnlessItWraps) {
  EXPECT_EQ(checked_multiply(0, kMax), 0u);
  EXPECT_EQ(checked_multiply(kMax, 1), kMax);
  EXPECT_EQ(checked_multiply(uint64_t{1} << 32, uint64_t{1} << 31), uint64_t{1} << 63);
  EXPECT_EQ(checked_multiply(uint64_t{1} << 32, uint64_t{1} << 32), std::nullopt);
  EXPECT_EQ(checked_multiply(kMax, 2), std::nullopt);
}

TEST(Checked, AddsUnlessItWraps) {
  EXPECT_EQ(checked_add(kMax - 1, 1), kMax);
  EXPECT_EQ(checked_add(kMax, 1), std::nullopt);
}

TEST(Checked, ProductOfSizesThrows) {
  EXPECT_EQ(size_product(6, 7), 42u);
  EXPECT_THROW(static_cast<void>(size_product(kMax, kMax)), Error);
}

TEST(Checked, AlignsAndDividesUp) {
  EXPECT_EQ(align_up(0, 64), 0u);
  EXPECT_EQ(align_up(1, 64), 64u);
  EXPECT_EQ(align_up(64, 64), 64u);
  EXPECT_EQ(divide_up(10, 5), 2u);
  EXPECT_EQ(divide_up(11, 5), 3u);
}

TEST(Error, CarriesItsKindAsExitCode) {
  try {
    fail(ErrorKind::model, "file ", 7, ": ", "broken");
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "file 7: broken");
    EXPECT_EQ(error.exit_code(), 3);
  }
}

}  // namespace
}  // namespace linnet
