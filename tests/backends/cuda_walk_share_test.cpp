// What walk_share.h promises: every row of a product has one place, whoever attends; no GPU is needed.
#include "backends/cuda/kernels/walk_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace linnet::cuda {
namespace {

// For GPUs with few and many multiprocessors, products small and large in units of both sizes, and blocks
// that attend.
template <class Check>
void for_each_share(Check&& check) {
  for (const uint32_t blocks : {4u, 78u, 114u, 128u, 132u}) {
    for (const uint32_t attending : {0u, 1u, 4u, 16u, 33u}) {
      if (attending > blocks / 4) continue;
      for (const uint32_t units : {1u, 32u, 131u, 132u, 133u, 256u, 320u, 512u, 768u, 1408u, 3584u, 4000u}) {
        for (const uint32_t rows : {unit_rows(true), unit_rows(false)}) {
          if (units * rows > kWalkRows * blocks) continue;
          SCOPED_TRACE(testing::Message()
                       << blocks << " blocks, " << attending << " attend, " << units << " units of " << rows);
          check(share_with_few(units, blocks, attending), units, blocks, attending, rows);
          check(share_beside_few(units, blocks, attending, rows), units, blocks, attending, rows);
        }
      }
    }
  }
}

uint32_t count(const Share& share) {
  return share.end - share.first;
}

TEST(WalkShare, EveryUnitIsOneBlocks) {
  for_each_share([](const WalkShare& share, uint32_t units, uint32_t blocks, uint32_t, uint32_t rows) {
    std::vector<int> taken(units, 0);
    for (uint32_t block = 0; block < blocks; ++block) {
      const Share mine = units_of(share, block, blocks);
      ASSERT_LE(mine.first, mine.end);
      ASSERT_LE(mine.end, units);
      EXPECT_LE(count(mine), most_units(share));
      for (uint32_t unit = mine.first; unit < mine.end; ++unit) ++taken[unit];
    }
    EXPECT_EQ(taken, std::vector<int>(units, 1));
    EXPECT_LE(most_units(share) * rows, kWalkRows);
  });
}

TEST(WalkShare, NobodyElseTakesMoreBecauseSomeAttend) {
  for_each_share([](const WalkShare& share, uint32_t units, uint32_t blocks, uint32_t attending, uint32_t) {
    const uint32_t even = (units + blocks - 1) / blocks;
    for (uint32_t block = attending; block < blocks; ++block)
      EXPECT_LE(count(units_of(share, block, blocks)), even) << "block " << block;
  });
}

TEST(WalkShare, WhoAttendsTakesNoMoreThanTheRest) {
  for_each_share([](const WalkShare& share, uint32_t, uint32_t blocks, uint32_t attending, uint32_t) {
    if (share.from_behind != 0) return;
    uint32_t least = ~0u;
    for (uint32_t block = attending; block < blocks; ++block)
      least = std::min(least, count(units_of(share, block, blocks)));
    for (uint32_t block = 0; block < attending; ++block)
      EXPECT_LE(count(units_of(share, block, blocks)), least + 1) << "block " << block;
  });
}

// The shapes that the figures of docs/cuda.md are of.
TEST(WalkShare, BlocksThatAttendInTinyLlamaHaveOnlyRowsOfTheGate) {
  for (const uint32_t rows : {unit_rows(true), unit_rows(false)}) {
    const WalkShare qkv = share_with_few(2560 / rows, 132, 4);
    const WalkShare out = share_with_few(2048 / rows, 132, 4);
    const WalkShare gate = share_beside_few(11264 / rows, 132, 4, rows);
    for (uint32_t block = 0; block < 4; ++block) {
      EXPECT_EQ(count(units_of(qkv, block, 132)), 0u);
      EXPECT_EQ(count(units_of(out, block, 132)), 0u);
      EXPECT_EQ(count(units_of(gate, block, 132)) * rows, 96u);
    }
  }
}

TEST(WalkShare, FewHaveMoreOfTwoProducts) {
  const uint32_t rows = unit_rows(true);
  const WalkShare qkv = share_with_few(2560 / rows, 132, 4);
  const WalkShare gate = share_beside_few(11264 / rows, 132, 4, rows);
  uint32_t both = 0;
  for (uint32_t block = 4; block < 132; ++block) {
    if (count(units_of(qkv, block, 132)) == 3 && count(units_of(gate, block, 132)) == 11) ++both;
  }
  EXPECT_EQ(both, 64u + 80u - 128u);
}

TEST(WalkShare, SmallUnitsOfTinyLlamaAreSharedEvenly) {
  const uint32_t rows = unit_rows(false);
  const WalkShare qkv = share_with_few(2560 / rows, 132, 4);
  const WalkShare gate = share_beside_few(11264 / rows, 132, 4, rows);
  for (uint32_t block = 4; block < 132; ++block) {
    EXPECT_EQ(count(units_of(qkv, block, 132)), 5u);
    EXPECT_GE(count(units_of(gate, block, 132)), 21u);
    EXPECT_LE(count(units_of(gate, block, 132)), 22u);
  }
}

TEST(WalkShare, RowsThatBelongTogetherAreInOneUnit) {
  struct Rows {
    uint32_t shift, half, paired, n;
  };
  // Queries and keys of heads of 64 and 128, values behind them; gates and what they open; no pairs at all.
  for (const Rows& of :
       {Rows{6, 32, 36, 2560}, Rows{7, 64, 40, 6144}, Rows{31, 5632, 1, 11264}, Rows{0, 0, 0, 2048}}) {
    for (const uint32_t count : {unit_rows(true), unit_rows(false)}) {
      std::vector<int> taken(of.n, 0);
      for (uint32_t unit = 0; unit < of.n / count; ++unit) {
        const UnitRows rows = rows_of_unit(count, of.shift, of.half, of.paired, unit);
        EXPECT_EQ(rows.high - rows.low, rows.halves ? of.half : count / 2);
        for (uint32_t i = 0; i < count / 2; ++i) {
          ASSERT_LT(rows.high + i, of.n);
          ++taken[rows.low + i];
          ++taken[rows.high + i];
        }
      }
      EXPECT_EQ(taken, std::vector<int>(of.n, 1));
    }
  }
}

}  // namespace
}  // namespace linnet::cuda
