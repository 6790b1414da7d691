#include <algorithm>

#include "backends/cuda/kernels/launch.cuh"
#include "backends/cuda/kernels/walk_attention.cuh"
#include "backends/cuda/kernels/walk_clock.cuh"
#include "backends/cuda/kernels/walk_draw.cuh"
#include "backends/cuda/kernels/walk_end.cuh"
#include "backends/cuda/kernels/walk_input.cuh"
#include "backends/cuda/kernels/walk_product.cuh"
#include "backends/cuda/kernels/walk_stream.cuh"

// Older GPUs have no bulk copies: nobody launches the walk there, and what it is made of has no use.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#pragma nv_diag_suppress 177
#define LINNET_HAS_BULK_COPIES 0
#else
#define LINNET_HAS_BULK_COPIES 1
#endif

namespace linnet::cuda {
namespace {

constexpr uint32_t kThreads = kWalkThreads + 32 * kStreamWarps;
constexpr uint32_t kFewestSlots = 8;
constexpr uint32_t kSharedMemory = (227 << 10) - 256;  // of what a block may have
// What is no shared memory is cache, through which keys and values come: no more of them can be on their way
// than it holds. Where many tokens are possible it is given two slots of the ring: 76 to 79 % of the
// bandwidth with 32,000 tokens, 86.5 to 85.7 % without any.
constexpr uint32_t kCacheForKeys = 32 << 10;
constexpr uint32_t kLongContext = 16384;

// Registers are given out by quarters of a multiprocessor, 96 to each of five warps. The one that streams
// needs few of them, the other four keep weights in all they can get. Only code for one generation of GPUs
// (90a) may say so.
constexpr uint32_t kStreamRegisters = 32;
constexpr uint32_t kWalkRegisters = 96 + (96 - kStreamRegisters) / (kWalkWarps / kStreamWarps);
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
constexpr bool kMayMoveRegisters = true;
#else
constexpr bool kMayMoveRegisters = false;
#endif
__device__ __forceinline__ void give_registers() {
  if constexpr (kMayMoveRegisters)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kStreamRegisters));
}
__device__ __forceinline__ void take_registers() {
  if constexpr (kMayMoveRegisters) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kWalkRegisters));
}

// How the row's pairs are turned, by one warp.
__device__ __forceinline__ void find_turns(const WalkArgs& args, WalkShared& shared) {
  const int32_t position = __ldcg(args.pages.positions);
  for (uint32_t i = threadIdx.x % 32; i < args.rope_pairs; i += 32)
    reinterpret_cast<float2*>(shared.angles)[i] =
        turn_of(position, __ldg(reinterpret_cast<const float2*>(args.frequencies) + i));
}

// Where the row stands, by one warp.
__device__ __forceinline__ void find_row(const WalkArgs& args, WalkShared& shared, const Stamp& mark,
                                         KernelFailure* failure) {
  const int32_t position = __ldcg(args.pages.positions);  // is on its way meanwhile
  const bool by_chance = args.draws && draws_by_chance(args.sample);
  int32_t slot = slot_of_row_by_warp(args.pages, 0, mark, failure);
  if (threadIdx.x % 32 != 0) return;
  if (slot >= 0 &&
      !in_range(position, args.pages.pages_a_slot * kPageTokens, FailedCheck::positions, mark, failure))
    slot = -1;
  shared.slot = slot;
  shared.by_chance = by_chance;
  shared.position = slot < 0 ? 0 : static_cast<uint32_t>(position);
  shared.place = slot < 0 ? ~0ull : place_of_token(args.pages, slot, shared.position, 0, mark, failure);
}

// A stage's product, from x to outputs. No call of a function, nor is attention: what lives across a call
// lies in memory all the time.
template <bool kCodes>
__device__ __forceinline__ void product_stage(uint32_t i, const WalkStage& stage) {
  WalkShared& shared = walk_shared();
  const WalkArgs& args = shared.args;
  const uint32_t warp = threadIdx.x / 32;
  const Share share = share_of(stage);
  if (share.first == share.end) return meet();  // that no warp leaves others many stages behind
  const uint32_t units = share.end - share.first;
  const uint32_t parity = shared.parity[warp];
  std::byte* const work = walk_work(args, kCodes);
  float* const sums = reinterpret_cast<float*>(work + x_bytes(kCodes, stage.k));
  const RingPlace place = shared.places[warp];
  ShareProduct<kCodes> product(stage.k, units, args, place, offset_of_work(args, kCodes), sums);
  const WalkEnd<kCodes> end(stage, share, product.turn_at_end());
  product.load_early(shared);
  wait(&shared.ended, parity ^ 1);  // x of the stage before is not needed any more
  if (stage.in_pairs) {
    take_pairs<kCodes>(stage, args, shared.run, work);
  } else {
    take_x<kCodes>(stage, args, shared.run, work, shared);
  }
  arrive_as_warp(&shared.squared);
  tell_multiplied(i, shared);
  product.multiply(shared);
  tell_multiplied(kNoStage, shared);
  arrive_as_warp(&shared.summed);
  if (threadIdx.x % 32 == 0) {
    shared.parity[warp] = parity ^ 1;
    shared.places[warp] = product.place();
  }
  const uint32_t turn = product.turn_at_end();
  if (end.takes_part(turn, units)) {
    const WalkOutputs<kCodes> outputs(end, stage, args, sums, turn, parity, shared);
    wait(&shared.summed, parity);
    outputs.put_all(shared);
  }
  arrive_as_warp(&shared.ended);  // all of its lanes meet there, and may read what one of them wrote
}

template <uint32_t kWidth, bool kCodes>
__device__ __forceinline__ void walk_stages(const WalkArgs& args, const Stamp& mark, uint32_t run,
                                            KernelFailure* failure, WalkShared& shared) {
  WalkClock clock(args, mark, shared);
#pragma unroll 1
  for (uint32_t i = 0; i < args.count; ++i) {
    fetch_stage(args, i + kStagesAhead, shared);
    const WalkStage& stage = await_stage(i, shared);
    clock.pass(stage);
    if (stage.kind != WalkStage::Kind::attention) {
      product_stage<kCodes>(i, stage);
    } else {
      attention_stage<kWidth>(i, stage);
    }
  }
  if (args.draws) end_with_draw(args, mark, run, failure, shared);
  clock.end(await_stage(args.count - 1, shared));
}

// Shared memory before the first stage: barriers of the ring, what warps keep from stage to stage, and the
// arguments, each by a warp of its own.
__device__ __forceinline__ void prepare_shared(const WalkArgs& args, const Stamp& mark,
                                               KernelFailure* failure, WalkShared& shared) {
  const uint32_t warp = threadIdx.x / 32;
  const uint32_t lane = threadIdx.x % 32;
  if (warp == 0 && lane < args.slots) {
    init_barrier(&shared.full[lane], kStreamWarps);
    init_barrier(&shared.empty[lane], kTeamWarps * kWarpArrivals);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (warp == 2) {
    if (lane < kWalkWarps) {
      shared.places[lane] = {.slot = lane / kTeamWarps, .phase = 0, .order = lane / kTeamWarps};
      shared.parity[lane] = 0;
      shared.largest[lane] = Largest::none();
    }
    if (lane < WalkShared::kStagesKept) init_barrier(&shared.described[lane], 1);
    if (lane == 0) {
      init_barrier(&shared.squared, kWalkWarps * kWarpArrivals);
      init_barrier(&shared.summed, kWalkWarps * kWarpArrivals);
      init_barrier(&shared.ended, kWalkWarps * kWarpArrivals);
      shared.multiplied = kNoStage;
      shared.mark = mark;
      shared.mark.here = args.attention_line;
      shared.failure = failure;
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  static_assert(sizeof(WalkArgs) % sizeof(uint32_t) == 0 && WalkShared::kMostSlots <= 32);
  if (warp == 3) {
    for (uint32_t i = lane; i < sizeof(WalkArgs) / sizeof(uint32_t); i += 32)
      reinterpret_cast<uint32_t*>(&shared.args)[i] = reinterpret_cast<const uint32_t*>(&args)[i];
  }
}

template <uint32_t kWidth, bool kCodes>
__device__ __forceinline__ void walk(const WalkArgs& args, const Stamp& mark, KernelFailure* failure) {
  WalkShared& shared = walk_shared();
  let_next_start();
  prepare_shared(args, mark, failure, shared);
  __syncthreads();
  if (threadIdx.x >= kWalkThreads) {
    give_registers();
    if (one_lane()) Streamer<kCodes>(args, walk_ring(), shared).run();
    return;
  }
  take_registers();
  // The kernels right before, in the same launch, write x and, if they do, angles; who the row is and how
  // many runs there were is from launches before: one warp finds it while the others go on.
  const uint32_t run = __ldcg(args.progress);
  if (this_warp() == 1) find_row(args, shared, mark, failure);
  if (this_warp() == 4 && args.frequencies != nullptr) find_turns(args, shared);
  for (uint32_t i = 0; i < kStagesAhead; ++i) fetch_stage(args, i, shared);
  wait_for_previous();
  if (args.angles != nullptr) {
    for (uint32_t i = threadIdx.x; i < 2 * args.rope_pairs; i += kWalkThreads)
      shared.angles[i] = args.angles[i];
  }
  if (threadIdx.x == 0) shared.run = run;
  meet();
  walk_stages<kWidth, kCodes>(args, mark, run, failure, shared);
  if (threadIdx.x != 0) return;
  // The last block to end counts the run; the next launch reads that.
  if (atomicAdd(args.progress + 1, 1u) == gridDim.x - 1) {
    args.progress[1] = 0;
    args.progress[0] = run + 1;
  }
}

template <uint32_t kWidth, bool kCodes>
__global__ void __launch_bounds__(kThreads, 1)
    walk_kernel(const __grid_constant__ WalkArgs args, Stamp mark, KernelFailure* failure) {
  if constexpr (LINNET_HAS_BULK_COPIES) walk<kWidth, kCodes>(args, mark, failure);
}

template <uint32_t kWidth, bool kCodes>
bool launch_one(const WalkArgs& args, uint32_t processors, const Common& common) {
  const auto kernel = walk_kernel<kWidth, kCodes>;
  const uint32_t bytes = kWalkSharedBytes + args.slots * slot_bytes(kCodes) + args.work_bytes;
  static_cast<void>(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  launch_blocks({.grid = processors, .threads = kThreads, .shared = bytes, .together = true}, kernel, common,
                args, common.stamp, common.failure);
  return true;
}

}  // namespace

bool walk_takes(Format weight, uint32_t k) {
  const bool format = weight == Format::bf16 || weight == Format::q8_0;
  return format && k % 256 == 0;
}

uint32_t walk_product_bytes(Format weight, uint32_t k, const WalkShare& share) {
  const bool codes = weight == Format::q8_0;
  const uint32_t pieces = codes ? pieces_of<true>(k) : pieces_of<false>(k);
  return x_bytes(codes, k) + most_units(share) * unit_sums(pieces) * static_cast<uint32_t>(sizeof(float));
}

uint32_t walk_attention_bytes(uint32_t group) {
  const uint32_t heads = std::min(group, WalkShared::kHeads);
  const uint32_t parts = kKeptParts * heads * kValueColumns;
  const uint32_t joins = kWalkThreads * 3;
  return std::max(parts, joins) * static_cast<uint32_t>(sizeof(float));
}

uint32_t walk_tasks(uint32_t group, uint32_t width) {
  return (group + WalkShared::kHeads - 1) / WalkShared::kHeads * (width / kValueColumns);
}

uint32_t walk_slots(Format weight, uint32_t work_bytes, uint32_t tokens) {
  const auto slots_beside = [&](uint32_t others) {
    const uint32_t room =
        others > kSharedMemory ? 0 : (kSharedMemory - others) / slot_bytes(weight == Format::q8_0);
    return room < kFewestSlots ? 0 : std::min(room, WalkShared::kMostSlots);
  };
  const uint32_t fixed = kWalkSharedBytes + work_bytes;
  const uint32_t with_cache = tokens < kLongContext ? 0 : slots_beside(fixed + kCacheForKeys);
  return with_cache != 0 ? with_cache : slots_beside(fixed);
}

size_t walk_partials(uint32_t heads, uint32_t width, uint32_t kv_heads, uint32_t processors) {
  return size_t{heads} * std::max(1u, processors / kv_heads) * (2 + width);
}

bool launch_walk(const WalkArgs& args, uint32_t processors, const Common& common) {
  const auto launch_width = [&]<uint32_t kWidth>() {
    return args.format == Format::q8_0 ? launch_one<kWidth, true>(args, processors, common)
                                       : launch_one<kWidth, false>(args, processors, common);
  };
  return args.pages.width == 128 ? launch_width.operator()<128>() : launch_width.operator()<64>();
}

}  // namespace linnet::cuda
