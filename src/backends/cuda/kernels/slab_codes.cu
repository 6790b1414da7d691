#include "backends/cuda/kernels/slab_codes.h"

#include "backends/cuda/kernels/slab_codes_end.cuh"
#include "backends/cuda/kernels/slab_codes_product.cuh"
#include "backends/cuda/kernels/slab_run.cuh"

namespace linnet::cuda {

template <StageArgs::Kind kKind, uint32_t kRowsOfTile>
struct SlabOfCodes : CodeSlab<kRowsOfTile> {
  using Base = CodeSlab<kRowsOfTile>;
  using typename Base::Shared;
  using typename Base::Tiles;
  static constexpr bool kPlaces = kKind == StageArgs::Kind::rope_and_store;

  __device__ __forceinline__ static void ask(const CodeSlabArgs& args, const SlabPlan& plan, Shared& shared,
                                             uint32_t ring) {
    ask_for_codes<kKind, kRowsOfTile>(args, plan, shared, ring);
  }
  __device__ __forceinline__ static void help(const CodeSlabArgs& args, const SlabPlan& plan, Shared& shared,
                                              uint32_t thread) {
    bring_scales<kKind, kRowsOfTile>(args, plan, shared, thread);
  }
  __device__ __forceinline__ static void multiply(const CodeSlabArgs& args, const SlabPlan& plan,
                                                  const Tiles& tiles, Shared& shared, uint32_t ring,
                                                  TileRing& at, uint32_t& left, float (&sums)[Base::kSums]) {
    const uint32_t unit = tiles.pair(plan, threadIdx.x / 128);
    const CodeRows rows(CodeBoxes::of<kKind>(args.stage, unit).together);
    multiply_codes<kRowsOfTile>(plan, shared, ring, rows, at, left, sums);
  }
  __device__ __forceinline__ static void end(const StageArgs& stage, const SlabPlan& plan, const Tiles& tiles,
                                             const uint64_t* places, float (&sums)[Base::kSums]) {
    end_codes<kKind>(stage, tiles.row(plan), tiles.pair(plan, threadIdx.x / 128), places, sums);
  }
};

namespace {

constexpr uint32_t kTogether = kSlabCluster * kSlabGroups * 2 * kCodeUnit;  // rows of the weight

uint32_t row_tiles_of(uint32_t rows, uint32_t rows_of_tile) {
  return (rows + rows_of_tile - 1) / rows_of_tile;
}

template <StageArgs::Kind kKind, uint32_t kRows>
bool launch_rows(const CodeSlabArgs& args, uint32_t processors, const Common& common) {
  const Matrix& weight = args.stage.weight;
  SlabPlan plan{};
  plan.row_tiles = row_tiles_of(args.stage.rows, kRows);
  plan.tiles = plan.row_tiles * (weight.rows / kTogether);
  plan.steps = weight.columns / kCodeColumns;
  return launch_slab_kernel<SlabOfCodes<kKind, kRows>>(args, plan, processors, common);
}

template <StageArgs::Kind kKind>
bool launch_kind(const CodeSlabArgs& args, uint32_t rows_of_tile, uint32_t processors, const Common& common) {
  switch (rows_of_tile) {
    case kCodeSlabRows[0]:
      return launch_rows<kKind, kCodeSlabRows[0]>(args, processors, common);
    case kCodeSlabRows[1]:
      return launch_rows<kKind, kCodeSlabRows[1]>(args, processors, common);
    case kCodeSlabRows[2]:
      return launch_rows<kKind, kCodeSlabRows[2]>(args, processors, common);
    default:
      return false;
  }
}

}  // namespace

bool code_slab_takes(uint32_t n, uint32_t k) {
  return n % kTogether == 0 && k % (kCodeSteps * kCodeColumns) == 0;
}

size_t code_slab_way(uint32_t rows, uint32_t n, uint32_t processors) {
  const uint32_t clusters = processors / kSlabCluster;
  size_t best = 0;
  uint64_t least = ~uint64_t{0};
  for (size_t way = 0; way < kCodeSlabRows.size(); ++way) {
    const uint32_t of_tile = kCodeSlabRows[way];
    const uint64_t tiles = uint64_t{row_tiles_of(rows, of_tile)} * (n / kTogether);
    // A step takes as long as this many rows, and 124 for what does not depend on them: 0.45, 0.51 and 0.61
    // µs with 64, 96 and 128.
    const uint64_t time = (tiles + clusters - 1) / clusters * (of_tile + 124);
    if (time >= least) continue;
    least = time;
    best = way;
  }
  return best;
}

bool launch_code_slab(const CodeSlabArgs& args, uint32_t rows_of_tile, uint32_t processors,
                      const Common& common) {
  if (args.stage.rows == 0) return false;
  switch (args.stage.kind) {
    case StageArgs::Kind::add:
      return launch_kind<StageArgs::Kind::add>(args, rows_of_tile, processors, common);
    case StageArgs::Kind::gated:
      return launch_kind<StageArgs::Kind::gated>(args, rows_of_tile, processors, common);
    case StageArgs::Kind::rope_and_store:
      return launch_kind<StageArgs::Kind::rope_and_store>(args, rows_of_tile, processors, common);
    case StageArgs::Kind::linear:
      return false;
  }
  return false;
}

}  // namespace linnet::cuda
