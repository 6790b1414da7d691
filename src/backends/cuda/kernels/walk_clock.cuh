// The walk's lines of the receipt.
#pragma once

#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// The receipt of a walk, by one thread of the last block, which only attends to long contexts: cycles of its
// stages as they pass, which cost nothing to read, and the GPU's clock, which does, at both ends.
class WalkClock {
 public:
  __device__ WalkClock(const WalkArgs& args, const Stamp& mark, WalkShared& shared)
      : args_(args), mark_(mark), shared_(shared) {
    if (!mine()) return;
    for (uint32_t i = 0; i < args_.entry_count; ++i) shared_.cycles[i] = 0;
    shared_.entry = 0;
    shared_.begin = nanoseconds();
    if (mark_.before != kNoLine) atomicAdd(&mark_.lines[mark_.before].nanoseconds, shared_.begin);
    shared_.first_clock = shared_.last_clock = clock64();
  }
  // A stage begins.
  __device__ __forceinline__ void pass(const WalkStage& stage) {
    if (!mine()) return;
    const long long now = clock64();
    shared_.cycles[shared_.entry] += static_cast<unsigned long long>(now - shared_.last_clock);
    shared_.last_clock = now;
    shared_.entry = stage.entry;
  }
  // The last line stays open if another kernel of the run follows, which closes it.
  __device__ __forceinline__ void end(const WalkStage& last) {
    if (!mine()) return;
    pass(last);
    const unsigned long long now = nanoseconds();
    // A division of doubles would be the call of a function.
    const float scale = __fdividef(static_cast<float>(now - shared_.begin),
                                   static_cast<float>(max(shared_.last_clock - shared_.first_clock, 1ll)));
    for (uint32_t i = 0; i < args_.entry_count; ++i) {
      LineCounters& line = mark_.lines[args_.entries[i].line];
      atomicAdd(&line.nanoseconds,
                static_cast<unsigned long long>(static_cast<float>(shared_.cycles[i]) * scale));
      atomicAdd(&line.count, static_cast<unsigned long long>(args_.entries[i].count));
      atomicAdd(&line.bytes, args_.entries[i].bytes);
    }
    if (!args_.draws) atomicAdd(&mark_.lines[last.line].nanoseconds, 0ull - now);
  }

 private:
  [[nodiscard]] __device__ __forceinline__ bool mine() const {
    return blockIdx.x == gridDim.x - 1 && threadIdx.x == 0 && mark_.lines != nullptr;
  }
  const WalkArgs& args_;
  const Stamp& mark_;
  WalkShared& shared_;
};

}  // namespace linnet::cuda
