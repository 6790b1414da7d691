// The end of a walk: each block tells all which of its logits is the largest, and the first one draws.
#pragma once

#include "backends/cuda/kernels/draw.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// How a block tells: the logit, its token, and eight bits of the run's number, which the word of the run
// before has not.
inline constexpr uint32_t kTokenBits = 24;
__device__ __forceinline__ void put_largest(unsigned long long* to, const Largest& largest, uint32_t run) {
  const unsigned long long word = static_cast<unsigned long long>(__float_as_uint(largest.logit)) << 32 |
                                  run << kTokenBits | (largest.token & ((1u << kTokenBits) - 1));
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
__device__ __forceinline__ Largest await_largest(const unsigned long long* from, uint32_t run) {
  unsigned long long word;
  do {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  } while (((static_cast<uint32_t>(word) >> kTokenBits ^ run) & 0xFF) != 0);
  return {__uint_as_float(static_cast<uint32_t>(word >> 32)),
          static_cast<uint32_t>(word) & ((1u << kTokenBits) - 1)};
}

// Whether the run will draw from all logits. Who the slot is, is from launches before; a wrong one is
// reported by the draw.
__device__ __forceinline__ bool draws_by_chance(const SampleArgs& args) {
  const int32_t slot = __ldcg(args.slots);
  if (slot < 0 || static_cast<uint32_t>(slot) >= args.slot_count) return false;
  return __int_as_float(__ldcg(args.params + static_cast<uint64_t>(slot) * 8)) > 0;
}

using Walkers = Drawers<1, kWalkThreads, 4>;

// Logits that fit into the ring, in which nothing lies any more, behind what drawing needs itself: a draw by
// chance goes through them many times. Others stay where they are.
__device__ __forceinline__ const float* bring_near(const WalkArgs& args, const float* logits) {
  constexpr uint32_t kAtOnce = 16;
  constexpr uint32_t kBegin = (sizeof(DrawShared) + 127) / 128 * 128;
  const uint32_t count = args.sample.logits.columns;
  const uint32_t room = args.slots * slot_bytes(args.format == Format::q8_0) - kBegin;
  if (count > room / sizeof(float)) return logits;
  auto* const near = reinterpret_cast<float*>(walk_ring() + kBegin);
#pragma unroll 1
  for (uint32_t begin = threadIdx.x; begin < count; begin += kAtOnce * kWalkThreads) {
    float some[kAtOnce] = {};
#pragma unroll
    for (uint32_t j = 0; j < kAtOnce; ++j) {
      if (begin + j * kWalkThreads < count) some[j] = __ldcg(logits + begin + j * kWalkThreads);
    }
#pragma unroll
    for (uint32_t j = 0; j < kAtOnce; ++j) {
      if (begin + j * kWalkThreads < count) near[begin + j * kWalkThreads] = some[j];
    }
  }
  Walkers::meet();
  return near;
}

// By all warps that multiply.
__device__ __forceinline__ void end_with_draw(const WalkArgs& args, const Stamp& run_mark, uint32_t run,
                                              KernelFailure* failure, WalkShared& shared) {
  DrawSlot of;
  unsigned long long begin = 0;
  const bool first = blockIdx.x == 0;
  if (first) {
    of.ask_which(args.sample, 0);
    if (threadIdx.x == 0 && run_mark.lines != nullptr) begin = nanoseconds();
  }
  Walkers::meet();  // all have put their logits
  if (threadIdx.x < 32) {
    Largest mine = threadIdx.x < kWalkWarps ? shared.largest[threadIdx.x] : Largest::none();
    mine.look_at_warp();
    if (threadIdx.x == 0) {
      if (shared.by_chance) __threadfence();  // who draws reads all of them
      put_largest(args.largest + blockIdx.x, mine, run);
    }
  }
  if (!first) return;
  Stamp mark = run_mark;
  mark.here = args.sample_line;
  of.ask_for_state(args.sample, mark, failure);
  Largest mine = Largest::none();
  for (uint32_t i = threadIdx.x; i < gridDim.x; i += kWalkThreads) {
    const Largest other = await_largest(args.largest + i, run);
    mine.look(other.logit, other.token);
  }
  auto& draw_shared = *reinterpret_cast<DrawShared*>(walk_ring());
  const auto* logits = reinterpret_cast<const float*>(args.sample.logits.data);
  if (shared.by_chance) {
    __threadfence();
    Walkers::meet();  // every thread has seen the words of some blocks only
    logits = bring_near(args, logits);
  }
  find_largest<Walkers>(mine, draw_shared);
  draw_and_advance<Walkers>(args.sample, logits, of, mark, failure, draw_shared);
  if (threadIdx.x == 0 && mark.lines != nullptr)
    atomicAdd(&mark.lines[mark.here].nanoseconds, nanoseconds() - begin);
}

}  // namespace linnet::cuda
