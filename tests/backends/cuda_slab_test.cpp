// Which products slabs take, and when their tiles fill a GPU; no GPU is needed.
#include <gtest/gtest.h>

#include "backends/cuda/kernels/slab.h"
#include "backends/cuda/kernels/slab_codes.h"

namespace linnet::cuda {
namespace {

constexpr uint32_t kH200 = 132;  // multiprocessors

TEST(Slab, TakesWholeTilesOfHundredsOfRows) {
  EXPECT_TRUE(slab_takes(2048, 28672, 4096));
  EXPECT_TRUE(slab_takes(kFewestSlabRows, 256, 64));
  EXPECT_FALSE(slab_takes(kFewestSlabRows - 1, 256, 64));
  EXPECT_FALSE(slab_takes(2048, 384, 64)) << "half a tile of the weight's rows";
  EXPECT_FALSE(slab_takes(2048, 256, 96)) << "half a tile of its columns";
}

TEST(Slab, FillsTheGpuIfFewMultiprocessorsWaitInTheLastRound) {
  EXPECT_TRUE(slab_fills(2048, 4096, kH200)) << "128 tiles for 66 clusters";
  EXPECT_TRUE(slab_fills(1024, 4096, kH200));
  EXPECT_TRUE(slab_fills(2048, 2048, kH200));
  EXPECT_FALSE(slab_fills(1500, 4096, kH200)) << "96 tiles: the second round is half empty";
  EXPECT_FALSE(slab_fills(1024, 2048, kH200)) << "32 tiles";
  EXPECT_FALSE(slab_fills(1, 256, kH200));
}

TEST(CodeSlab, TakesWholeTilesAndPairsOfSteps) {
  EXPECT_TRUE(code_slab_takes(28672, 4096));
  EXPECT_TRUE(code_slab_takes(256, 128));
  EXPECT_FALSE(code_slab_takes(384, 128)) << "half a tile of the weight's rows";
  EXPECT_FALSE(code_slab_takes(256, 192)) << "scales of two steps are loaded at once";
}

// What was the fastest of all, or within 3 % of it, on an H200 (docs/cuda.md).
TEST(CodeSlab, TakesAsManyRowsATileAsAreFastest) {
  const auto rows_of_tile = [](uint32_t rows, uint32_t n) {
    return kCodeSlabRows[code_slab_way(rows, n, kH200)];
  };
  EXPECT_EQ(rows_of_tile(96, 28672), 96);
  EXPECT_EQ(rows_of_tile(128, 28672), 128);
  EXPECT_EQ(rows_of_tile(2048, 28672), 128);
  EXPECT_EQ(rows_of_tile(256, 11264), 96) << "two rounds, as with 128";
  EXPECT_EQ(rows_of_tile(512, 11264), 128);
  EXPECT_EQ(rows_of_tile(256, 4096), 64) << "one round with any";
  EXPECT_EQ(rows_of_tile(512, 4096), 128);
  EXPECT_EQ(rows_of_tile(512, 2048), 64);
  EXPECT_EQ(rows_of_tile(1, 256), 64);
}

}  // namespace
}  // namespace linnet::cuda
