// What a block of a slab has to do, and what lies where in its shared memory.
#pragma once

#include "backends/cuda/kernels/cluster.cuh"
#include "backends/cuda/kernels/slab.h"
#include "backends/cuda/kernels/tensor_copies.cuh"

namespace linnet::cuda {

inline constexpr uint32_t kSlabCluster = 2;
inline constexpr uint32_t kSlabGroups = 2;  // of four warps that multiply, each 64 rows of x
inline constexpr uint32_t kSlabMultiply = 128 * kSlabGroups;
// One warp more asks for what they multiply, one finds places in the caches, and two may help; they are there
// in any case, because registers are moved between groups of four.
inline constexpr uint32_t kSlabThreads = kSlabMultiply + 128;
inline constexpr uint32_t kSlabHelpers = 64;
inline constexpr uint32_t kSlabTileBytes = kSlabRows * kSlabColumns * 2;
inline constexpr uint32_t kSlabSlotBytes = 3 * kSlabTileBytes;  // rows of x, two tiles of the weight's
inline constexpr uint32_t kSlabSlots = 4;
inline constexpr uint32_t kSlabSums = 128;  // of a thread: 64 rows of x, 256 of the weight, for 128 threads

// Registers are given out by groups of four warps, 168 to a thread. The group that asks needs few of them,
// sums and outputs all they can get.
inline constexpr uint32_t kSlabAskRegisters = 40;
inline constexpr uint32_t kSlabMultiplyRegisters = 232;

// Of a slab in shared memory, behind its ring: tiles begin at multiples of 1024 bytes.
template <uint32_t kSlots, uint32_t kRows>
struct SlabBarriers {
  uint64_t full[kSlots];
  uint64_t empty[kSlots];
  uint64_t placed;  // places are there
  uint64_t ended;   // and not needed any more
  uint64_t places[kRows];
};
using SlabShared = SlabBarriers<kSlabSlots, kSlabRows>;

// What there is to do, found by the host: a division takes long.
struct SlabPlan {
  uint32_t row_tiles;  // of 256 rows of x
  uint32_t tiles;      // in all
  uint32_t steps;      // of kSlabColumns columns
  uint32_t advance;    // rows of the weight from a tile to the next
  uint32_t second;     // rows from the first tile of the weight to the second, which is multiplied with it
};

// The tiles of a cluster, one after another: those who work side by side have all of x and few rows of the
// weight, so that each comes from memory once.
struct ClusterTiles {
  uint32_t tile;
  __device__ __forceinline__ ClusterTiles() : tile(first()) {}
  [[nodiscard]] __device__ __forceinline__ static uint32_t first() { return blockIdx.x / kSlabCluster; }
  __device__ __forceinline__ void advance() { tile += gridDim.x / kSlabCluster; }
  [[nodiscard]] __device__ __forceinline__ bool more(const SlabPlan& plan) const { return tile < plan.tiles; }
  // How many the cluster has in all.
  [[nodiscard]] __device__ __forceinline__ static uint32_t count(const SlabPlan& plan) {
    const uint32_t clusters = gridDim.x / kSlabCluster;
    return (plan.tiles - first() + clusters - 1) / clusters;
  }
};

struct SlabTiles : ClusterTiles {
  static constexpr uint32_t kRows = kSlabRows;  // of x, that a block has
  // First row of x, of this block.
  [[nodiscard]] __device__ __forceinline__ uint32_t row(const SlabPlan& plan) const {
    return (tile % plan.row_tiles * kSlabCluster + blockIdx.x % kSlabCluster) * kSlabRows;
  }
  // First row of the weight.
  [[nodiscard]] __device__ __forceinline__ uint32_t column(const SlabPlan& plan) const {
    return tile / plan.row_tiles * plan.advance;
  }
};

// The slots of a ring in the order in which they are filled: each at once, then when it has been given back.
template <uint32_t kSlots>
class RingToFill {
 public:
  [[nodiscard]] __device__ __forceinline__ uint32_t next(uint64_t (&empty)[kSlots]) {
    const uint32_t slot = at_.slot;
    if (used_ < kSlots) {
      ++used_;
    } else {
      wait(&empty[slot], at_.parity ^ 1);
    }
    at_.advance(kSlots);
    return slot;
  }

 private:
  TileRing at_;
  uint32_t used_ = 0;
};

// A warp has read a slot: both blocks of its cluster may fill it again.
__device__ __forceinline__ void give_back(uint64_t* empty) {
  if constexpr (kForRacecheck) {
    arrive(empty);
    arrive_in_block(empty, 1 - blockIdx.x % kSlabCluster);
  } else if (threadIdx.x % 32 < kSlabCluster) {
    arrive_in_block(empty, threadIdx.x % 32);
  }
}

}  // namespace linnet::cuda
