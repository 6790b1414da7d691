#include "backends/cuda/kernels/slab.h"

#include "backends/cuda/kernels/launch.cuh"
#include "backends/cuda/kernels/slab_end.cuh"
#include "backends/cuda/kernels/slab_product.cuh"

namespace linnet::cuda {
namespace {

constexpr uint32_t kTogether = kSlabCluster * kSlabRows;  // rows of x, and of the weight

template <class End, bool kPlaces>
__device__ __forceinline__ void multiply_and_end(const SlabArgs& args, const SlabPlan& plan, uint32_t ring,
                                                 SlabShared& shared) {
  float sums[kSlabSums];
  TileRing at;
  uint32_t parity = 0;
  SlabTiles tiles;
  uint32_t left = tiles.count(plan) * plan.steps;
#pragma unroll 1
  while (tiles.more(plan)) {
    multiply_tile(plan, shared, ring, at, left, sums);
    const SlabPart part(tiles, plan);
    if (args.stage.bias != nullptr) add_bias(args.stage.bias, part, sums);
    if constexpr (kPlaces) wait(&shared.placed, parity);
    End::end(args.stage, part, shared.places, sums);
    tiles.advance();
    parity ^= 1;
    if constexpr (kPlaces) {
      __syncwarp();
      if (threadIdx.x % 32 == 0 && tiles.more(plan)) arrive(&shared.ended);
    }
  }
}

template <class End, bool kPlaces>
__device__ __forceinline__ void run_slab(const SlabArgs& args, const SlabPlan& plan, const Stamp& mark,
                                         KernelFailure* failure) {
  extern __shared__ __align__(1024) std::byte memory[];
  SlabShared& shared = *reinterpret_cast<SlabShared*>(memory + kSlabSlots * kSlabSlotBytes);
  const uint32_t ring = shared_address(memory);
  let_next_start();
  prepare_slab(args, shared);
  wait_for_previous();
  if (threadIdx.x >= kSlabMultiply) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kSlabAskRegisters));
    const uint32_t warp = (threadIdx.x - kSlabMultiply) / 32;
    if (warp == 0 && one_lane()) ask_for_tiles(args, plan, shared, ring);
    if constexpr (kPlaces) {
      if (warp == 1) find_places(args.stage, plan, shared, mark, failure);
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kSlabMultiplyRegisters));
    stamp(mark);
    multiply_and_end<End, kPlaces>(args, plan, ring, shared);
  }
  // What the other block sends and says here has come.
  arrive_at_cluster();
  wait_for_cluster();
}

template <class End, bool kPlaces>
__global__ void __launch_bounds__(kSlabThreads, 1)
    slab_kernel(const __grid_constant__ SlabArgs args, const __grid_constant__ SlabPlan plan, Stamp mark,
                KernelFailure* failure) {
  if constexpr (LINNET_HAS_WARPGROUPS) run_slab<End, kPlaces>(args, plan, mark, failure);
}

uint32_t row_tiles_of(uint32_t rows) {
  return (rows + kTogether - 1) / kTogether;
}

template <class End, bool kPlaces = false>
bool launch_one(const SlabArgs& args, uint32_t processors, const Common& common) {
  const auto kernel = slab_kernel<End, kPlaces>;
  static const cudaError_t raised =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSlabMemory);
  static_cast<void>(raised);
  const Matrix& weight = args.stage.weight;
  const bool gated = args.stage.kind == StageArgs::Kind::gated;
  SlabPlan plan{};
  plan.row_tiles = row_tiles_of(args.stage.rows);
  plan.tiles = plan.row_tiles * (weight.rows / kTogether);
  plan.steps = weight.columns / kSlabColumns;
  plan.advance = gated ? kSlabRows : kTogether;
  plan.second = gated ? weight.rows / 2 : kSlabRows;
  const uint32_t clusters = plan.tiles < processors / kSlabCluster ? plan.tiles : processors / kSlabCluster;
  launch_blocks({.grid = clusters * kSlabCluster,
                 .threads = kSlabThreads,
                 .shared = kSlabMemory,
                 .cluster = kSlabCluster},
                kernel, common, args, plan, common.stamp, common.failure);
  return true;
}

bool launch_gated(const SlabArgs& args, uint32_t processors, const Common& common) {
  switch (args.stage.activation) {
    case ActivationKind::silu:
      return launch_one<SlabGated<ActivationKind::silu>>(args, processors, common);
    case ActivationKind::gelu:
      return launch_one<SlabGated<ActivationKind::gelu>>(args, processors, common);
    case ActivationKind::gelu_tanh:
      return launch_one<SlabGated<ActivationKind::gelu_tanh>>(args, processors, common);
  }
  return false;
}

template <uint32_t kWidth>
bool launch_heads(const SlabArgs& args, uint32_t processors, const Common& common) {
  return args.stage.pairs == RopePairs::adjacent
             ? launch_one<SlabRope<kWidth, RopePairs::adjacent>, true>(args, processors, common)
             : launch_one<SlabRope<kWidth, RopePairs::halves>, true>(args, processors, common);
}

}  // namespace

bool slab_takes(uint32_t capacity, uint32_t n, uint32_t k) {
  return capacity >= kFewestSlabRows && n % kTogether == 0 && k % kSlabColumns == 0;
}

bool slab_fills(uint32_t rows, uint32_t n, uint32_t processors) {
  const uint32_t clusters = processors / kSlabCluster;
  const uint32_t tiles = row_tiles_of(rows) * (n / kTogether);
  const uint32_t rounds = (tiles + clusters - 1) / clusters;
  return uint64_t{10} * tiles >= uint64_t{9} * rounds * clusters;
}

bool launch_slab(const SlabArgs& args, uint32_t processors, const Common& common) {
  if (args.stage.rows == 0) return false;
  switch (args.stage.kind) {
    case StageArgs::Kind::add:
      return launch_one<SlabAdd>(args, processors, common);
    case StageArgs::Kind::gated:
      return launch_gated(args, processors, common);
    case StageArgs::Kind::rope_and_store:
      return args.stage.pages.width == 64 ? launch_heads<64>(args, processors, common)
                                          : launch_heads<128>(args, processors, common);
    case StageArgs::Kind::linear:
      return false;
  }
  return false;
}

}  // namespace linnet::cuda
