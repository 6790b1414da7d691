// Which products slabs take, and when their tiles fill a GPU; no GPU is needed.
#include <gtest/gtest.h>

#include "backends/cuda/kernels/slab.h"

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

}  // namespace
}  // namespace linnet::cuda
