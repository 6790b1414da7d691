// How the work of a panel is shared among blocks; no GPU is needed.
#include <gtest/gtest.h>

#include "backends/cuda/kernels/panel.h"

namespace linnet::cuda {
namespace {

constexpr uint32_t kProcessors = 132;
constexpr uint32_t kMostUnits = 4;  // of a block: two groups of warps with 64 rows each

uint32_t blocks(const PanelShape& shape) {
  return shape.split * shape.clusters;
}

TEST(PanelShape, EveryUnitHasABlockAndEveryBlockSomething) {
  for (const uint32_t n : {32u, 96u, 416u, 2048u, 2560u, 6144u, 11264u, 28672u, 151936u}) {
    for (const uint32_t k : {128u, 192u, 1088u, 2048u, 14336u}) {
      SCOPED_TRACE(testing::Message() << n << " × " << k);
      const PanelShape shape = panel_shape(n, k, kProcessors);
      const uint32_t units = n / kPanelUnit;
      EXPECT_GE(shape.clusters * kMostUnits, units);
      EXPECT_LE(shape.clusters, units);
      EXPECT_LE(shape.split, k / kPanelColumns);
      EXPECT_TRUE(shape.split == 2 || shape.split == 4 || shape.split == 8);
    }
  }
}

// Those that were the fastest of all that were measured on an H200 (docs/cuda.md), or within 3 % of it.
TEST(PanelShape, IsTheFastestForTinyLlamaAndMistral) {
  const auto expect = [](uint32_t n, uint32_t k, uint32_t split, uint32_t clusters) {
    const PanelShape shape = panel_shape(n, k, kProcessors);
    EXPECT_EQ(shape.split, split) << n << " × " << k;
    EXPECT_EQ(shape.clusters, clusters) << n << " × " << k;
  };
  expect(2560, 2048, 8, 27);
  expect(2048, 2048, 8, 22);
  expect(11264, 2048, 2, 118);
  expect(2048, 5632, 8, 22);
  expect(6144, 4096, 4, 48);
  expect(4096, 4096, 4, 43);
  expect(28672, 4096, 2, 224);
  expect(4096, 14336, 4, 43);
}

TEST(PanelShape, LeavesRoomForClusters) {
  for (uint32_t n = kPanelUnit; n <= kMostUnits * kPanelUnit * kProcessors / 2; n += 7 * kPanelUnit)
    EXPECT_LE(blocks(panel_shape(n, 4096, kProcessors)), kProcessors * 9 / 5) << n;
}

TEST(Panel, TakesWholeTilesOfMoreRowsThanAStageTakes) {
  EXPECT_TRUE(panel_takes(kMaxPanelRows, 2560, 2048));
  EXPECT_TRUE(panel_takes(kMaxStageRows + 1, 32, 128));
  EXPECT_FALSE(panel_takes(kMaxStageRows, 2560, 2048));
  EXPECT_FALSE(panel_takes(kMaxPanelRows + 1, 2560, 2048));
  EXPECT_FALSE(panel_takes(16, 32, 64)) << "a cluster of one block";
  EXPECT_FALSE(panel_takes(16, 2552, 2048));
  EXPECT_FALSE(panel_takes(16, 2560, 2080));
}

}  // namespace
}  // namespace linnet::cuda
