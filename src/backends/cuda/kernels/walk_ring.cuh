// The ring through which a block streams weights, and the words in which numbers travel between blocks.
#pragma once

#include <cstdint>

#include "backends/cuda/kernels/barriers.cuh"
#include "backends/cuda/kernels/draw.cuh"
#include "backends/cuda/kernels/walk.h"
#include "backends/cuda/kernels/walk_words.h"

namespace linnet::cuda {

inline constexpr uint32_t kWalkWarps = 16;  // that multiply
inline constexpr uint32_t kTeams = 4;
inline constexpr uint32_t kTeamWarps = kWalkWarps / kTeams;
inline constexpr uint32_t kStreamWarps = 4;
inline constexpr uint32_t kWalkThreads = 32 * kWalkWarps;
// A slot has a piece of each row of a unit.
[[nodiscard]] __host__ __device__ constexpr uint32_t piece_bytes(bool codes) {
  return (16 << 10) / unit_rows(codes);
}
inline constexpr uint32_t kPieceScales = piece_bytes(true) / 32 * 2;  // bytes: Q8_0
// Rows of a slot lie apart as keeps them on different banks: they are read by 16 bytes, or by 8.
[[nodiscard]] __host__ __device__ constexpr uint32_t row_stride(bool codes) {
  return piece_bytes(codes) + (codes ? 32 : 64);
}
inline constexpr uint32_t kScaleStride = kPieceScales + 16;
[[nodiscard]] __host__ __device__ constexpr uint32_t scales_at() {  // behind the rows
  return unit_rows(true) * row_stride(true);
}
[[nodiscard]] __host__ __device__ constexpr uint32_t slot_bytes(bool codes) {
  return codes ? scales_at() + unit_rows(true) * kScaleStride : unit_rows(false) * row_stride(false);
}

// Columns of a piece, and those of them that are one warp's.
template <bool kCodes>
constexpr uint32_t kPieceColumns = piece_bytes(kCodes) / (kCodes ? 1 : 2);
template <bool kCodes>
constexpr uint32_t kWarpColumns = kPieceColumns<kCodes> / kTeamWarps;
static_assert(kWarpColumns<true> == 2 * 8 * 32 && kWarpColumns<false> == 2 * 8 * 32);
template <bool kCodes>
[[nodiscard]] __host__ __device__ constexpr uint32_t pieces_of(uint32_t k) {
  return (k + kPieceColumns<kCodes> - 1) / kPieceColumns<kCodes>;
}

__device__ __forceinline__ void copy_to_shared(void* to, const void* from, uint32_t bytes,
                                               uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

__device__ __forceinline__ void copy_to_shared(void* to, const void* from, uint32_t bytes, uint64_t* barrier,
                                               uint64_t policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
      "[%3], "
      "%4;" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier)), "l"(policy)
      : "memory");
}

// The number of a warp in its team.
__device__ __forceinline__ uint32_t team_member() {
  return threadIdx.x / 32 % kTeamWarps;
}
// The warps with the same columns meet, one of each team.
__device__ __forceinline__ void meet_partners() {
  asm volatile("bar.sync %0, %1;" ::"r"(2 + team_member()), "n"(32 * kTeams) : "memory");
}
// The warps that multiply meet.
__device__ __forceinline__ void meet() {
  asm volatile("bar.sync 1, %0;" ::"n"(kWalkThreads) : "memory");
}

// Words, as all blocks of the GPU see them.
__device__ __forceinline__ void put(uint32_t* to, uint32_t word) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}
__device__ __forceinline__ uint32_t look(const uint32_t* from) {
  uint32_t word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
  return word;
}
__device__ __forceinline__ uint4 look_at_four(const uint32_t* from) {
  uint4 words;
  asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(from)
               : "memory");
  return words;
}

// Partial results carry the whole number of their use: they are not written in every run.
__device__ __forceinline__ void put_partial(uint2* to, float value, uint32_t tag) {
  asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(__float_as_uint(value)), "r"(tag)
               : "memory");
}
__device__ __forceinline__ uint2 look_at_partial(const uint2* from) {
  uint2 words;
  asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
               : "=r"(words.x), "=r"(words.y)
               : "l"(from)
               : "memory");
  return words;
}

// Where a warp stands in the ring: at the slot of the next stage with this number, one of the first four.
struct RingPlace {
  uint32_t slot;
  uint32_t phase;
  uint32_t order;
};

// What a block does of an attention stage.
struct WalkTask {
  uint32_t first_head;
  uint32_t heads;
  uint32_t kv_head;
  uint32_t column;   // of the values
  uint32_t stretch;  // its number
  uint32_t begin;    // tokens
  uint32_t end;
};
struct WalkPages {
  uint64_t place;  // of the page with a warp's first tokens
  int32_t next;    // page of those of its next round
};

// Everything of a block that lies in shared memory beside the ring and the work area.
struct WalkShared {
  static constexpr uint32_t kMostSlots = 16;
  static constexpr uint32_t kWidest = 128;  // heads
  static constexpr uint32_t kHeads = 8;     // that attention takes together
  static constexpr uint32_t kQueryStride = kWidest + 32;
  static constexpr uint32_t kStagesKept = 8;  // warps are two stages apart at most, two more are fetched

  uint64_t full[kMostSlots];
  uint64_t empty[kMostSlots];
  uint64_t squared;                 // all warps have put their squares of x, if there is a norm
  uint64_t summed;                  // and their sums of a stage
  uint64_t ended;                   // and outputs were made of them
  uint64_t described[kStagesKept];  // the stage whose place that is has come
  WalkArgs args;                    // for functions of their own: what kernels get lies elsewhere for them
  alignas(128) WalkStage stages[kStagesKept];  // this one, those around it
  alignas(16) float squares[kWalkThreads];     // of x, a sum of each thread
  alignas(16) float angles[kWidest];           // cosine and sine in turn
  alignas(16) __nv_bfloat16 queries[kHeads * kQueryStride];
  float key[kWidest];  // of the token that is being made
  alignas(16) float value[kWidest];
  float scores[kHeads];
  alignas(16) float part_largest[kHeads][kWalkWarps];  // of attention: what each warp has
  alignas(16) float part_sum[kHeads][kWalkWarps];
  WalkTask task;
  WalkPages pages[kWalkWarps];
  uint32_t tasks;  // of all blocks
  uint32_t stretches;
  float residual[kWalkRows];  // of this block's rows, whole, from sum to sum
  // The receipt of the last block (walk_clock.cuh).
  unsigned long long cycles[kWalkEntries];  // by op
  unsigned long long begin;
  long long first_clock;
  long long last_clock;
  uint32_t entry;
  uint64_t place;  // of that token in the caches, ~0: nowhere
  RingPlace places[kWalkWarps];
  Largest largest[kWalkWarps];  // of the logits that each warp has made
  uint32_t parity[kWalkWarps];  // of `squared`, `summed` and `ended` for the warp's next product
  uint32_t run;
  Stamp mark;
  KernelFailure* failure;
  int32_t slot;  // −1: none
  uint32_t position;
  bool by_chance;                // the token is drawn from all logits, not the largest
  volatile uint32_t multiplied;  // which stage is; none while activations are waited for
};

inline constexpr uint32_t kNoStage = ~0u;
inline constexpr uint32_t kStagesAhead = 2;  // their descriptions are fetched

// A hint to those who stream, who look at it whenever they like: that is a race, and the only one that is
// meant.
__device__ __forceinline__ void tell_multiplied(uint32_t stage, WalkShared& shared) {
  if (!kForRacecheck && threadIdx.x == 0) shared.multiplied = stage;
}

// In front of all shared memory, so that every function knows where it is.
__device__ __forceinline__ WalkShared& walk_shared() {
  extern __shared__ __align__(128) std::byte memory[];
  return *reinterpret_cast<WalkShared*>(memory);
}
// Places in it, as a number of bytes from its beginning: that can be found before it is needed.
__device__ __forceinline__ std::byte* at_offset(uint32_t offset) {
  return reinterpret_cast<std::byte*>(&walk_shared()) + offset;
}
// Something that nobody writes once stages have begun, for those who have no x to read.
__device__ __forceinline__ uint32_t offset_of_no_x() {
  return static_cast<uint32_t>(reinterpret_cast<const std::byte*>(walk_shared().angles) - at_offset(0));
}
inline constexpr uint32_t kWalkSharedBytes = (sizeof(WalkShared) + 127) / 128 * 128;
__device__ __forceinline__ std::byte* walk_ring() {
  return at_offset(kWalkSharedBytes);
}

// What lies behind the ring is for the numbers of attention, or else for a stage's x, the scales of its
// blocks and sums: [unit, teams that have some of it, row, part of the team].
__device__ __forceinline__ uint32_t offset_of_work(const WalkArgs& args, bool codes) {
  return kWalkSharedBytes + args.slots * slot_bytes(codes);
}
__device__ __forceinline__ std::byte* walk_work(const WalkArgs& args, bool codes) {
  return at_offset(offset_of_work(args, codes));
}
[[nodiscard]] __host__ __device__ constexpr uint32_t x_bytes(bool codes, uint32_t k) {
  return 2 * k + (codes ? k / 32 * static_cast<uint32_t>(sizeof(float)) : 0);
}
inline constexpr uint32_t kTeamSums = 32;  // of one unit: eight or four rows, four or eight parts of each
[[nodiscard]] __host__ __device__ constexpr uint32_t unit_sums(uint32_t pieces) {
  return (pieces < kTeams ? pieces : kTeams) * kTeamSums;
}

// The number of this warp, in a way that the compiler knows it to be the same in all its lanes.
__device__ __forceinline__ uint32_t this_warp() {
  return __shfl_sync(~0u, threadIdx.x / 32, 0);
}

// The compiler finds what can be found when it is needed. This makes it be found here: before the warp waits
// for something, and not when that has come and others wait.
__device__ __forceinline__ void settle(float& number) {
  asm volatile("" : "+f"(number));
}
__device__ __forceinline__ void settle(uint32_t& number) {
  asm volatile("" : "+r"(number));
}
__device__ __forceinline__ void settle(uint4& four) {
  settle(four.x);
  settle(four.y);
  settle(four.z);
  settle(four.w);
}

// One warp fetches the descriptions of stages for the block, two stages ahead, by bulk copies. Copies by the
// threads of a warp, each of 16 bytes, cost a microsecond a stage if what they fill does not begin at a
// multiple of 128 bytes.
__device__ __forceinline__ void fetch_stage(const WalkArgs& args, uint32_t i, WalkShared& shared) {
  if (i >= args.count || this_warp() != kWalkWarps - 1 || !one_lane()) return;
  const uint32_t place = i % WalkShared::kStagesKept;
  expect_bytes(&shared.described[place], sizeof(WalkStage));
  copy_to_shared(&shared.stages[place], args.stages + i, sizeof(WalkStage), &shared.described[place]);
}
__device__ __forceinline__ const WalkStage& await_stage(uint32_t i, WalkShared& shared) {
  const uint32_t place = i % WalkShared::kStagesKept;
  wait(&shared.described[place], i / WalkShared::kStagesKept % 2);
  return shared.stages[place];
}

// The units of a stage that this block takes.
__device__ __forceinline__ Share share_of(const WalkWeights& weights) {
  return units_of(weights.share, blockIdx.x, gridDim.x);
}

}  // namespace linnet::cuda
