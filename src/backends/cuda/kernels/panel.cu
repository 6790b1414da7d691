#include "backends/cuda/kernels/panel.h"

#include <algorithm>
#include <bit>

#include "backends/cuda/kernels/panel_codes.cuh"
#include "backends/cuda/kernels/panel_end.cuh"
#include "backends/cuda/kernels/panel_product.cuh"
#include "backends/cuda/kernels/panel_sums.cuh"

namespace linnet::cuda {
namespace {

// Blocks of two kernels shall be there at once, so that the next one's weights come while this one ends.
constexpr uint32_t kMostShared = 112 << 10;
constexpr uint32_t kFewestSplit = 2;  // a cluster has several blocks: one way for all shapes

bool has_codes(const PanelArgs& args) {
  return args.stage.weight.format == Format::q8_0;
}

}  // namespace

PanelPlan::PanelPlan(const PanelArgs& args)
    : units(args.stage.weight.rows / kPanelUnit, args.shape.clusters),
      steps(args.stage.weight.columns / kPanelColumns, args.shape.split),
      split_bits(static_cast<uint32_t>(std::countr_zero(args.shape.split))),
      rows(std::bit_ceil(std::max(args.stage.rows, kPanelBox)) / args.shape.split),
      sums_stride(units.most() * kPanelUnit + 4),
      slot_bytes(kMaxPanelRows * kPanelRowBytes +
                 units.most() * kPanelUnit * panel_row_bytes(has_codes(args))) {
  const uint32_t tiles = has_codes(args) ? kPanelGroups * kPanelTileBytes : 0;
  // A group multiplies a whole tile: behind the last slot lies what it reads in vain.
  const uint32_t behind =
      has_codes(args) ? 0 : (kMostPanelUnits - units.most()) * kPanelUnit * kPanelRowBytes;
  const uint32_t received = split() * sums_bytes();
  const uint32_t others = tiles + std::max(behind, received) + static_cast<uint32_t>(sizeof(PanelShared));
  slots = std::min({steps.most(), kMostPanelSlots, (kMostShared - others) / slot_bytes});
  tiles_at = slots * slot_bytes;
  // Sums are kept in the ring before they are sent.
  sums_at = std::max(tiles_at + tiles, kMaxPanelRows * sums_stride * static_cast<uint32_t>(sizeof(float)));
  shared_at = sums_at + std::max(behind, received);
}

namespace {

template <class T>
__device__ __forceinline__ void bring(T& to, const T& from, uint32_t word) {
  static_assert(sizeof(T) % sizeof(uint64_t) == 0);
  if (word < sizeof(T) / sizeof(uint64_t))
    reinterpret_cast<uint64_t*>(&to)[word] = reinterpret_cast<const uint64_t*>(&from)[word];
}

template <StageArgs::Kind kKind>
__device__ __forceinline__ void prepare_panel(const PanelArgs& args, const PanelPlan& plan,
                                              const PanelWork& work, PanelShared& shared) {
  bring(shared.stage, args.stage, threadIdx.x - 128);
  bring(shared.norm, args.norm, threadIdx.x - 64);
  if (threadIdx.x < work.units) {
    const Pair pair = pair_of<kKind>(args.stage, (work.first_unit + threadIdx.x) * kPanelBox);
    shared.boxes[2 * threadIdx.x] = pair.first;
    shared.boxes[2 * threadIdx.x + 1] = pair.second == pair.first + 1 ? pair.first + kPanelBox : pair.second;
  }
  if (threadIdx.x == kPanelMultiply) {
    prefetch_maps(args.weight, args.x);
    for (uint32_t i = 0; i < plan.slots; ++i) {
      init_barrier(&shared.full[i], 1);
      init_barrier(&shared.empty[i], kPanelMultiply / 32);
    }
    init_barrier(&shared.summed, 1);
    init_barrier(&shared.prepared, 32);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    expect_bytes(&shared.summed, (plan.split() - 1) * plan.sums_bytes());
  }
  __syncthreads();
}

// By one warp, while others multiply: what the end needs of each row.
template <StageArgs::Kind kKind>
__device__ __forceinline__ void prepare_rows(const PanelRows& rows, PanelShared& shared, const Stamp& mark,
                                             KernelFailure* failure) {
  for (uint32_t i = threadIdx.x % 32; i < rows.count; i += 32) {
    const uint32_t row = rows.first + i;
    if constexpr (kKind == StageArgs::Kind::rope_and_store)
      shared.places[i] = find_place(shared.stage, row, mark, failure);
    if constexpr (kKind != StageArgs::Kind::add)
      shared.scales[i] = shared.norm.parts == 0 ? 1 : scale_of(shared.norm, row, shared.stage.weight.columns);
  }
  arrive(&shared.prepared);
}

// By the warps that multiply.
template <StageArgs::Kind kKind, bool kCodes>
__device__ __forceinline__ void multiply_and_end(const PanelPlan& plan, const PanelWork& work,
                                                 std::byte* memory, PanelShared& shared) {
  const uint32_t ring = shared_address(memory);
  const PanelEnding<kKind> ending{shared.stage, shared.norm};
  const PanelRows rows(shared.stage, plan, work);
  // What a thread ends: 4 outputs of a row, of which there are so many, and after them others.
  const uint32_t in_row = work.units * (kPanelBox / 2);
  uint32_t row = 0;
  uint32_t place = threadIdx.x;
  const auto go_on = [&] {
    while (place >= in_row && row < rows.count) {
      place -= in_row;
      ++row;
    }
  };
  const auto prepare = [&] {
    return ending.prepare(rows.first + row, work.first_unit * kPanelBox + 2 * place);
  };
  PanelEnd end;
  go_on();
  float sums[kPanelSums] = {};
  if constexpr (kCodes) {
    multiply_codes(plan, work, shared, memory, sums);
    if (row < rows.count) end = prepare();  // there are no registers for it before
  } else {
    if (row < rows.count) end = prepare();
    multiply_steps(plan, work, shared, ring, sums);
  }
  meet_multipliers();  // nobody reads the ring any more
  keep_sums(sums, reinterpret_cast<float*>(memory), plan.sums_stride, work, shared);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  meet_multipliers();
  wait_for_cluster();  // all have their barriers
  exchange_sums(plan, work, ring, shared);
  arrive_at_cluster();
  wait(&shared.prepared, 0);
  auto* left = reinterpret_cast<float*>(memory + plan.sums_at);
#pragma unroll 1
  while (row < rows.count) {
    const uint32_t at = row * plan.sums_stride + 4 * place;
    const float4 sum = sum_up(plan, work, memory, at);
    const float squares = ending.finish(end, sum, shared.scales[row], shared.places[row]);
    if constexpr (kKind == StageArgs::Kind::add) left[at] = squares;  // in the place of what it has read
    place += kPanelMultiply;
    go_on();
    if (row < rows.count) end = prepare();
  }
  if constexpr (kKind == StageArgs::Kind::add) {
    if (shared.norm.weight != nullptr) put_squares(rows, plan, work, shared.norm, left, in_row);
  }
}

template <StageArgs::Kind kKind, bool kCodes>
__device__ __forceinline__ void run_panel(const PanelArgs& args, const PanelPlan& plan, const Stamp& mark,
                                          KernelFailure* failure) {
  extern __shared__ __align__(1024) std::byte memory[];
  PanelShared& shared = *reinterpret_cast<PanelShared*>(memory + plan.shared_at);
  let_next_start();
  const PanelWork work(plan);
  prepare_panel<kKind>(args, plan, work, shared);
  arrive_at_cluster();
  const uint32_t warp = threadIdx.x / 32;
  if (warp == kPanelMultiply / 32) {
    if (one_lane()) PanelAsker<kCodes>(args, plan, work, shared, shared_address(memory)).run();
    __syncwarp();
  } else {
    wait_for_previous();
  }
  if (warp == kPanelMultiply / 32 + 1)
    prepare_rows<kKind>(PanelRows(shared.stage, plan, work), shared, mark, failure);
  if (warp < kPanelMultiply / 32) {
    stamp(mark);
    multiply_and_end<kKind, kCodes>(plan, work, memory, shared);
  } else {
    wait_for_cluster();
    arrive_at_cluster();
  }
  wait_for_cluster();  // what was sent has been received: it need not stay any longer
}

template <StageArgs::Kind kKind, bool kCodes>
__global__ void __launch_bounds__(kPanelThreads, 2)
    panel_kernel(const __grid_constant__ PanelArgs args, const __grid_constant__ PanelPlan plan, Stamp mark,
                 KernelFailure* failure) {
  if constexpr (LINNET_HAS_WARPGROUPS) run_panel<kKind, kCodes>(args, plan, mark, failure);
}

template <StageArgs::Kind kKind, bool kCodes>
bool launch_format(const PanelArgs& args, const Common& common) {
  const auto kernel = panel_kernel<kKind, kCodes>;
  static const cudaError_t raised = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                         static_cast<int>(kMostShared));
  static_cast<void>(raised);
  const PanelPlan plan(args);
  launch_blocks({.grid = args.shape.clusters * args.shape.split,
                 .threads = kPanelThreads,
                 .shared = plan.shared_at + sizeof(PanelShared),
                 .cluster = args.shape.split},
                kernel, common, args, plan, common.stamp, common.failure);
  return true;
}

template <StageArgs::Kind kKind>
bool launch_one(const PanelArgs& args, const Common& common) {
  return has_codes(args) ? launch_format<kKind, true>(args, common)
                         : launch_format<kKind, false>(args, common);
}

}  // namespace

bool panel_takes(uint32_t capacity, uint32_t n, uint32_t k) {
  return capacity > kMaxStageRows && capacity <= kMaxPanelRows && n % kPanelUnit == 0 &&
         k % kPanelColumns == 0 && k / kPanelColumns >= kFewestSplit;
}

// As many blocks as can be there at once: with 1.9 on each multiprocessor clusters no longer find room
// together, and a product takes half as long again; with 1.3 to 1.8 it is fastest, for all shapes of
// TinyLlama and Mistral. Of several ways that with most rows a block, which reads x less often.
PanelShape panel_shape(uint32_t n, uint32_t k, uint32_t processors) {
  const uint32_t units = n / kPanelUnit;
  const uint32_t most_blocks = processors * 9 / 5;
  PanelShape best{.split = kFewestSplit, .clusters = (units + kMostPanelUnits - 1) / kMostPanelUnits};
  for (uint32_t split = kFewestSplit; split <= kMostPanelSplit && split <= k / kPanelColumns; split *= 2) {
    for (uint32_t each = kMostPanelUnits; each >= 2; --each) {
      const PanelShape shape{split, (units + each - 1) / each};
      const uint32_t blocks = split * shape.clusters;
      const uint32_t best_blocks = best.split * best.clusters;
      const bool rather = blocks > best_blocks || best_blocks > most_blocks ||
                          (blocks == best_blocks && shape.clusters < best.clusters);
      if (blocks <= most_blocks && rather) best = shape;
    }
  }
  return best;
}

bool launch_panel(const PanelArgs& args, const Common& common) {
  if (args.stage.rows == 0) return false;
  switch (args.stage.kind) {
    case StageArgs::Kind::add:
      return launch_one<StageArgs::Kind::add>(args, common);
    case StageArgs::Kind::gated:
      return launch_one<StageArgs::Kind::gated>(args, common);
    case StageArgs::Kind::rope_and_store:
      return launch_one<StageArgs::Kind::rope_and_store>(args, common);
    case StageArgs::Kind::linear:
      return false;
  }
  return false;
}

}  // namespace linnet::cuda
