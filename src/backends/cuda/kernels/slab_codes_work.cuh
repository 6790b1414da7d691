// What a block of a slab of codes has to do, and what lies where in its shared memory.
#pragma once

#include "backends/cuda/kernels/slab_codes.h"
#include "backends/cuda/kernels/slab_work.cuh"
#include "backends/cuda/kernels/stage_end.cuh"

namespace linnet::cuda {

// A group of four warps has a unit of the weight: 32 pairs, as the end needs them, in two boxes of codes.
// Either the pairs' first rows are one box and the second ones the other, or all of them lie together, first
// and second in turn.
inline constexpr uint32_t kCodeUnit = 32;
inline constexpr uint32_t kCodeBoxBytes = kCodeBox * kCodeColumns;
inline constexpr uint32_t kCodeUnitBytes = 2 * kCodeBoxBytes;
inline constexpr uint32_t kCodeSteps = 2;         // whose scales are loaded at once, 8 bytes of a row
inline constexpr uint32_t kCodeRing = 200 << 10;  // bytes at most
static_assert(2 * kCodeUnit == kSlabHelpers);     // a thread brings the scales of one row of each unit

// With so many rows of x in a tile.
template <uint32_t kRowsOfTile>
struct CodeSlab {
  static constexpr uint32_t kSums = kRowsOfTile / 2;  // of a thread: 64 rows of the weight, for 128 threads
  static constexpr uint32_t kTileBytes = kRowsOfTile * kCodeColumns * 2;
  static constexpr uint32_t kSlotBytes = kTileBytes + kSlabGroups * kCodeUnitBytes;
  static constexpr uint32_t kSlots = kCodeRing / kSlotBytes;
  static_assert(kSlotBytes % 1024 == 0);

  struct Shared : SlabBarriers<kSlots, kRowsOfTile> {
    uint32_t scales[kSlots][kSlabGroups][2 * kCodeUnit];  // two in a word, for each row of the weight
  };
  // At the barrier of a slot: the thread that asks, and those that bring scales.
  static constexpr uint32_t kArrivals = 1 + kSlabHelpers;

  struct Tiles : ClusterTiles {
    static constexpr uint32_t kRows = kRowsOfTile;  // of x
    // First row of x, the same for both blocks of a cluster.
    [[nodiscard]] __device__ __forceinline__ uint32_t row(const SlabPlan& plan) const {
      return tile % plan.row_tiles * kRows;
    }
    // First pair of a group of this block.
    [[nodiscard]] __device__ __forceinline__ uint32_t pair(const SlabPlan& plan, uint32_t group) const {
      const uint32_t block = tile / plan.row_tiles * kSlabCluster + blockIdx.x % kSlabCluster;
      return (block * kSlabGroups + group) * kCodeUnit;
    }
  };
};

// Rows of the weight of a unit, by its first pair.
struct CodeBoxes {
  uint32_t first, second;  // row of each box
  bool together;
  template <StageArgs::Kind kKind>
  __device__ __forceinline__ static CodeBoxes of(const StageArgs& stage, uint32_t pair) {
    const Pair rows = pair_of<kKind>(stage, pair);
    const bool together = rows.second == rows.first + 1;
    return {rows.first, together ? rows.first + kCodeBox : rows.second, together};
  }
  // Of the weight, by its number in the unit.
  [[nodiscard]] __device__ __forceinline__ uint32_t row(uint32_t i) const {
    return i < kCodeBox ? first + i : second + i - kCodeBox;
  }
};

// The rows of a thread, counted in its unit: those of one pair. Where pairs lie together, half of the lanes
// have the second row first, so that the eight rows of a load are in different banks.
struct CodeRows {
  uint32_t pair;    // of the unit
  uint32_t first;   // in the order of the matrix units: the first eight rows of a warp
  uint32_t second;  // the last eight
  bool turned;      // `first` is the second row of the pair
  __device__ __forceinline__ explicit CodeRows(bool together)
      : pair(threadIdx.x % 128 / 32 * 8 + threadIdx.x % 32 / 4), turned(together && threadIdx.x % 32 >= 16) {
    const uint32_t begin = together ? 2 * pair : pair;
    const uint32_t other = together ? 2 * pair + 1 : pair + kCodeBox;
    first = turned ? other : begin;
    second = turned ? begin : other;
  }
};

}  // namespace linnet::cuda
