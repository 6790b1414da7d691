// What the attention kernels share: a block's part of the work, and how the parts are joined. Softmax runs
// in powers of two: scores are multiplied with log2(e) beforehand.
#pragma once

#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace linnet::cuda {

inline constexpr uint32_t kStretchUnit = 64;  // tokens: stretches are whole pages
inline constexpr float kLog2E = 1.4426950408889634f;

// Grid: rows, key heads (in chunks of at most kHeads query heads), stretches of the keys.
struct Work {
  uint32_t row;
  uint32_t kv_head;
  uint32_t first_head;
  uint32_t head_count;
  uint32_t begin;  // tokens of this block
  uint32_t end;
  uint32_t stretches;  // of this row
  uint32_t counter;    // in args.finished
};

template <uint32_t kHeads>
__device__ __forceinline__ void find_heads(const AttentionArgs& args, Work& work) {
  const uint32_t group = args.heads / args.pages.kv_heads;
  const uint32_t chunks = (group + kHeads - 1) / kHeads;
  work.kv_head = blockIdx.y / chunks;
  work.first_head = work.kv_head * group + blockIdx.y % chunks * kHeads;
  work.head_count = min(kHeads, work.kv_head * group + group - work.first_head);
}

__device__ __forceinline__ bool find_stretch(const AttentionArgs& args, uint32_t tokens, Work& work) {
  uint32_t stretch = (tokens + args.splits - 1) / args.splits;
  stretch = (stretch + kStretchUnit - 1) / kStretchUnit * kStretchUnit;
  work.stretches = (tokens + stretch - 1) / stretch;
  work.begin = blockIdx.z * stretch;
  work.end = min(work.begin + stretch, tokens);
  work.counter = work.row * gridDim.y + blockIdx.y;
  return blockIdx.z < work.stretches;
}

template <uint32_t kHeads>
__device__ __forceinline__ bool find_work(const AttentionArgs& args, const Stamp& mark,
                                          KernelFailure* failure, int32_t& slot, Work& work) {
  find_heads<kHeads>(args, work);
  work.row = blockIdx.x;
  slot = slot_of_row(args.pages, work.row, mark, failure);
  uint32_t position;
  if (slot < 0 || !position_of_row(args.pages, work.row, mark, failure, position)) return false;
  return find_stretch(args, position + 1, work);
}

// Keys and values: what the host cannot know.
__device__ __forceinline__ void count_bytes(const AttentionArgs& args, const Stamp& mark, uint32_t tokens) {
  if (threadIdx.x != 0 || mark.lines == nullptr) return;
  const uint32_t size = args.format == Format::f32 ? 4 : 2;
  atomicAdd(&mark.lines[mark.here].bytes, 2ull * tokens * args.pages.width * size);
}

// Shared memory: of each group and head the maximum and the sum, then the weighted values.
template <uint32_t kGroups, uint32_t kHeads>
[[nodiscard]] constexpr uint32_t shared_bytes(uint32_t width) {
  return kGroups * kHeads * (2 + width) * sizeof(float);
}

template <uint32_t kHeads, class Write>
__device__ __forceinline__ void keep(const AttentionArgs& args, uint32_t group, float* memory,
                                     Write&& write) {
  const uint32_t width = args.pages.width;
  float* mine = memory + group * kHeads * (2 + width);
  write(mine, mine + 2 * kHeads);
  __syncthreads();
}

struct Joined {
  float largest;
  float sum;
  float value;
};

// What all groups of this block have for element i of [head, width].
template <uint32_t kGroups, uint32_t kHeads>
__device__ __forceinline__ Joined join_element(const float* memory, uint32_t width, uint32_t i) {
  const uint32_t group_size = kHeads * (2 + width);
  const uint32_t h = i / width;
  Joined joined{-INFINITY, 0, 0};
#pragma unroll
  for (uint32_t g = 0; g < kGroups; ++g)
    joined.largest = fmaxf(joined.largest, memory[g * group_size + 2 * h]);
#pragma unroll
  for (uint32_t g = 0; g < kGroups; ++g) {
    const float* theirs = memory + g * group_size;
    if (theirs[2 * h] == -INFINITY) continue;
    const float factor = exp2f(theirs[2 * h] - joined.largest);
    joined.sum += factor * theirs[2 * h + 1];
    joined.value += factor * theirs[2 * kHeads + i];
  }
  return joined;
}

// Several rows of a batch with the same heads, and only one stretch.
template <uint32_t kGroups, uint32_t kHeads, uint32_t kThreads>
__device__ __forceinline__ void join_rows(const AttentionArgs& args, const Work& work, uint32_t rows,
                                          const float* memory) {
  const uint32_t width = args.pages.width;
  const uint32_t row_size = work.head_count * width;
  for (uint32_t i = threadIdx.x; i < rows * row_size; i += kThreads) {
    const Joined joined = join_element<kGroups, kHeads>(memory, width, i);
    store_number(args.out, work.row + i / row_size, work.first_head * width + i % row_size,
                 joined.value / joined.sum);
  }
}

// The groups of this block, and, by the last block of a row to come here, its stretches.
template <uint32_t kGroups, uint32_t kHeads, uint32_t kThreads>
__device__ __forceinline__ void join_groups(const AttentionArgs& args, const Work& work,
                                            const float* memory) {
  __shared__ bool last;
  const uint32_t width = args.pages.width;
  const bool alone = work.stretches == 1;
  for (uint32_t i = threadIdx.x; i < work.head_count * width; i += kThreads) {
    const auto [largest, sum, value] = join_element<kGroups, kHeads>(memory, width, i);
    const uint32_t head = work.first_head + i / width;
    if (alone) {
      store_number(args.out, work.row, head * width + i % width, value / sum);
      continue;
    }
    float* partial =
        args.partial +
        ((static_cast<uint64_t>(work.row) * args.heads + head) * args.splits + blockIdx.z) * (width + 2);
    if (i % width == 0) {
      partial[0] = largest;
      partial[1] = sum;
    }
    partial[2 + i % width] = value;
  }
  if (alone) return;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(&args.finished[work.counter], 1u) == work.stretches - 1;
    if (last) args.finished[work.counter] = 0;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (uint32_t i = threadIdx.x; i < work.head_count * width; i += kThreads) {
    const uint32_t head = work.first_head + i / width;
    const float* partial =
        args.partial + (static_cast<uint64_t>(work.row) * args.heads + head) * args.splits * (width + 2);
    float largest = -INFINITY;
    for (uint32_t s = 0; s < work.stretches; ++s) largest = fmaxf(largest, __ldcg(partial + s * (width + 2)));
    float sum = 0;
    float value = 0;
    for (uint32_t s = 0; s < work.stretches; ++s) {
      const float* theirs = partial + s * (width + 2);
      const float factor = exp2f(__ldcg(theirs) - largest);
      sum += factor * __ldcg(theirs + 1);
      value += factor * __ldcg(theirs + 2 + i % width);
    }
    store_number(args.out, work.row, head * width + i % width, value / sum);
  }
}

}  // namespace linnet::cuda
