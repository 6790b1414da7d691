// What all slabs do alike: a block's barriers, who asks, who finds places, who multiplies and ends.
//
// A slab is a struct of static members: Shared (with full, empty, placed, ended and places), Tiles, kSlots,
// kSlotBytes, kSums; kPlaces, if keys and values are stored; ask() by one thread for all tiles, multiply()
// and end() by those who multiply, tile by tile.
#pragma once

#include "backends/cuda/kernels/cluster.cuh"
#include "backends/cuda/kernels/launch.cuh"
#include "backends/cuda/kernels/slab_work.cuh"
#include "backends/cuda/kernels/stage_end.cuh"
#include "backends/cuda/kernels/tensor_copies.cuh"
#include "backends/cuda/kernels/warpgroup.cuh"

namespace linnet::cuda {

template <class Slab, class Args>
__device__ __forceinline__ void prepare_slab(const Args& args, typename Slab::Shared& shared) {
  if (threadIdx.x == kSlabMultiply) {
    prefetch_maps(args.weight, args.x);
    for (uint32_t i = 0; i < Slab::kSlots; ++i) {
      init_barrier(&shared.full[i], Slab::kArrivals);
      init_barrier(&shared.empty[i], kSlabCluster * kSlabMultiply / 32 * kWarpArrivals);
    }
    init_barrier(&shared.placed, 32);
    init_barrier(&shared.ended, kSlabMultiply / 32 * kWarpArrivals);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  arrive_at_cluster();
  wait_for_cluster();
}

// Where keys and values of each row go, tile after tile: by one warp, while others multiply.
template <class Slab>
__device__ __forceinline__ void find_places(const StageArgs& stage, const SlabPlan& plan,
                                            typename Slab::Shared& shared, const Stamp& mark,
                                            KernelFailure* failure) {
  uint32_t parity = 1;
#pragma unroll 1
  for (typename Slab::Tiles tiles; tiles.more(plan); tiles.advance(), parity ^= 1) {
    if (tiles.tile != ClusterTiles::first()) wait(&shared.ended, parity);
#pragma unroll 1
    for (uint32_t i = threadIdx.x % 32; i < Slab::Tiles::kRows; i += 32) {
      const uint32_t row = tiles.row(plan) + i;
      shared.places[i] = row < stage.rows ? find_place(stage, row, mark, failure) : ~0ull;
    }
    arrive(&shared.placed);
  }
}

template <class Slab, class Args>
__device__ __forceinline__ void multiply_and_end(const Args& args, const SlabPlan& plan, uint32_t ring,
                                                 typename Slab::Shared& shared) {
  float sums[Slab::kSums];
  TileRing at;
  uint32_t parity = 0;
  uint32_t left = ClusterTiles::count(plan) * plan.steps;  // slots that are still to come
  typename Slab::Tiles tiles;
#pragma unroll 1
  while (tiles.more(plan)) {
    Slab::multiply(args, plan, tiles, shared, ring, at, left, sums);
    if constexpr (Slab::kPlaces) wait(&shared.placed, parity);
    Slab::end(args.stage, plan, tiles, shared.places, sums);
    tiles.advance();
    parity ^= 1;
    if constexpr (Slab::kPlaces) {
      if (tiles.more(plan)) arrive_as_warp(&shared.ended);
    }
  }
}

template <class Slab, class Args>
__device__ __forceinline__ void run_slab(const Args& args, const SlabPlan& plan, const Stamp& mark,
                                         KernelFailure* failure) {
  extern __shared__ __align__(1024) std::byte memory[];
  auto& shared = *reinterpret_cast<typename Slab::Shared*>(memory + Slab::kSlots * Slab::kSlotBytes);
  const uint32_t ring = shared_address(memory);
  let_next_start();
  prepare_slab<Slab>(args, shared);
  wait_for_previous();
  if (threadIdx.x >= kSlabMultiply) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kSlabAskRegisters));
    const uint32_t warp = (threadIdx.x - kSlabMultiply) / 32;
    if (warp == 0 && one_lane()) Slab::ask(args, plan, shared, ring);
    if constexpr (Slab::kPlaces) {
      if (warp == 1) find_places<Slab>(args.stage, plan, shared, mark, failure);
    }
    if (warp >= 2) Slab::help(args, plan, shared, threadIdx.x - (kSlabThreads - kSlabHelpers));
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kSlabMultiplyRegisters));
    stamp(mark);
    multiply_and_end<Slab>(args, plan, ring, shared);
  }
  // What the other block sends and says here has come.
  arrive_at_cluster();
  wait_for_cluster();
}

template <class Slab, class Args>
__global__ void __launch_bounds__(kSlabThreads, 1)
    slab_kernel(const __grid_constant__ Args args, const __grid_constant__ SlabPlan plan, Stamp mark,
                KernelFailure* failure) {
  if constexpr (LINNET_HAS_WARPGROUPS) run_slab<Slab>(args, plan, mark, failure);
}

// As many clusters as there is room for, or tiles.
template <class Slab, class Args>
bool launch_slab_kernel(const Args& args, const SlabPlan& plan, uint32_t processors, const Common& common) {
  constexpr uint32_t kMemory = Slab::kSlots * Slab::kSlotBytes + sizeof(typename Slab::Shared);
  const auto kernel = slab_kernel<Slab, Args>;
  static const cudaError_t raised =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kMemory);
  static_cast<void>(raised);
  const uint32_t clusters = plan.tiles < processors / kSlabCluster ? plan.tiles : processors / kSlabCluster;
  launch_blocks(
      {.grid = clusters * kSlabCluster, .threads = kSlabThreads, .shared = kMemory, .cluster = kSlabCluster},
      kernel, common, args, plan, common.stamp, common.failure);
  return true;
}

}  // namespace linnet::cuda
