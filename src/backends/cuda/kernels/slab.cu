#include "backends/cuda/kernels/slab.h"

#include "backends/cuda/kernels/slab_end.cuh"
#include "backends/cuda/kernels/slab_product.cuh"
#include "backends/cuda/kernels/slab_run.cuh"

namespace linnet::cuda {

template <class End, bool kHasPlaces>
struct PlainSlab {
  using Shared = SlabShared;
  using Tiles = SlabTiles;
  static constexpr uint32_t kSlots = kSlabSlots;
  static constexpr uint32_t kSlotBytes = kSlabSlotBytes;
  static constexpr uint32_t kSums = kSlabSums;
  static constexpr bool kPlaces = kHasPlaces;
  static constexpr uint32_t kArrivals = 1;  // at the barrier of a slot: the thread that asks

  __device__ __forceinline__ static void ask(const SlabArgs& args, const SlabPlan& plan, Shared& shared,
                                             uint32_t ring) {
    ask_for_tiles(args, plan, shared, ring);
  }
  __device__ __forceinline__ static void help(const SlabArgs&, const SlabPlan&, Shared&, uint32_t) {}
  __device__ __forceinline__ static void multiply(const SlabArgs&, const SlabPlan& plan, const Tiles&,
                                                  Shared& shared, uint32_t ring, TileRing& at, uint32_t& left,
                                                  float (&sums)[kSums]) {
    multiply_tile(plan, shared, ring, at, left, sums);
  }
  __device__ __forceinline__ static void end(const StageArgs& stage, const SlabPlan& plan, const Tiles& tiles,
                                             const uint64_t* places, float (&sums)[kSums]) {
    const SlabPart part(tiles, plan);
    if (stage.bias != nullptr) add_bias(stage.bias, part, sums);
    End::end(stage, part, places, sums);
  }
};

namespace {

constexpr uint32_t kTogether = kSlabCluster * kSlabRows;  // rows of x, and of the weight

uint32_t row_tiles_of(uint32_t rows) {
  return (rows + kTogether - 1) / kTogether;
}

template <class End, bool kPlaces = false>
bool launch_one(const SlabArgs& args, uint32_t processors, const Common& common) {
  const Matrix& weight = args.stage.weight;
  const bool gated = args.stage.kind == StageArgs::Kind::gated;
  SlabPlan plan{};
  plan.row_tiles = row_tiles_of(args.stage.rows);
  plan.tiles = plan.row_tiles * (weight.rows / kTogether);
  plan.steps = weight.columns / kSlabColumns;
  plan.advance = gated ? kSlabRows : kTogether;
  plan.second = gated ? weight.rows / 2 : kSlabRows;
  return launch_slab_kernel<PlainSlab<End, kPlaces>>(args, plan, processors, common);
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
