// How a block of a slab multiplies: one thread asks for tiles of both factors, groups of four warps take
// them.
#pragma once

#include "backends/cuda/kernels/slab_work.cuh"
#include "backends/cuda/kernels/tensor_copies.cuh"
#include "backends/cuda/kernels/warpgroup.cuh"

namespace linnet::cuda {

// By one thread. The first tile of the weight is brought by the first block of the cluster, the second by the
// second.
__device__ __forceinline__ void ask_for_tiles(const SlabArgs& args, const SlabPlan& plan, SlabShared& shared,
                                              uint32_t ring) {
  constexpr uint16_t kBoth = (1 << kSlabCluster) - 1;
  const uint32_t rank = blockIdx.x % kSlabCluster;
  RingToFill<kSlabSlots> fill;
#pragma unroll 1
  for (SlabTiles tiles; tiles.more(plan); tiles.advance()) {
    const uint32_t x_row = tiles.row(plan);
    const uint32_t weight_row = tiles.column(plan) + rank * plan.second;
#pragma unroll 1
    for (uint32_t step = 0; step < plan.steps; ++step) {
      const uint32_t slot = fill.next(shared.empty);
      uint64_t* full = &shared.full[slot];
      const uint32_t to = ring + slot * kSlabSlotBytes;
      expect_bytes(full, kSlabSlotBytes);
      copy_box(to, args.x, step * kSlabColumns, x_row, full);
      copy_box_to_blocks(to + (1 + rank) * kSlabTileBytes, args.weight, step * kSlabColumns, weight_row, full,
                         kBoth);
    }
  }
}

// By the warps that multiply: one tile. `left`: slots that are still to come, those of this tile too.
__device__ __forceinline__ void multiply_tile(const SlabPlan& plan, SlabShared& shared, uint32_t ring,
                                              TileRing& at, uint32_t& left, float (&sums)[kSlabSums]) {
  const uint32_t group = threadIdx.x / 128;
  // Every phase of a barrier is waited for: nobody asks for more into the last slots.
  const auto done_with = [&](uint32_t slot) {
    if (left > kSlabSlots) give_back(&shared.empty[slot]);
    --left;
  };
  uint32_t before = 0;
#pragma unroll 1
  for (uint32_t step = 0; step < plan.steps; ++step) {
    wait(&shared.full[at.slot], at.parity);
    __syncwarp();  // the products are those of whole warps
    const uint32_t slot = ring + at.slot * kSlabSlotBytes;
    const uint64_t x = describe_tile(slot + group * (kSlabTileBytes / kSlabGroups));
    const uint64_t weight = describe_tile(slot + kSlabTileBytes);
    begin_products();
#pragma unroll
    for (uint32_t k = 0; k < kSlabColumns / 16; ++k)
      multiply_broad_tiles(sums, to_the_right(x, k), to_the_right(weight, k), step + k > 0);
    end_products();
    if (step > 0) {
      wait_for_products<1>();
      done_with(before);
    }
    before = at.slot;
    at.advance(kSlabSlots);
  }
  wait_for_products<0>();
  done_with(before);
}

}  // namespace linnet::cuda
