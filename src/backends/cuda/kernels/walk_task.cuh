// What each block does of attention in the walk: the same in all layers of a run, so it is found once.
#pragma once

#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"
#include "backends/cuda/kernels/walk_tokens.cuh"

namespace linnet::cuda {

inline constexpr uint32_t kRoundTokens = 16 * kWalkWarps;

// How attention of this run is split into tasks, in every layer the same.
struct WalkSplit {
  uint32_t chunks;   // of at most eight heads of a group
  uint32_t columns;  // of values, in parts
  uint32_t stretch;  // tokens

  __device__ __forceinline__ WalkSplit(const WalkArgs& args, uint32_t tokens, WalkShared& shared) {
    const uint32_t group = args.heads / args.pages.kv_heads;
    chunks = (group + WalkShared::kHeads - 1) / WalkShared::kHeads;
    columns = args.pages.width / kValueColumns;
    const uint32_t most = max(1u, gridDim.x / (args.pages.kv_heads * chunks * columns));
    const uint32_t wanted = min((tokens + 255) / 256, most);
    stretch = wanted <= 1 ? max(tokens, 1u) : ((tokens + wanted - 1) / wanted + 63) / 64 * 64;
    shared.stretches = max(1u, (tokens + stretch - 1) / stretch);
    shared.tasks = args.pages.kv_heads * chunks * columns * shared.stretches;
  }
  [[nodiscard]] __device__ __forceinline__ WalkTask task(const WalkArgs& args, uint32_t number,
                                                         uint32_t tokens, uint32_t stretches) const {
    const uint32_t group = args.heads / args.pages.kv_heads;
    WalkTask task;
    task.stretch = number % stretches;
    task.column = number / stretches % columns * kValueColumns;
    const uint32_t chunk = number / stretches / columns % chunks;
    task.kv_head = number / stretches / columns / chunks;
    task.first_head = task.kv_head * group + chunk * WalkShared::kHeads;
    task.heads = min(WalkShared::kHeads, group - chunk * WalkShared::kHeads);
    task.begin = task.stretch * stretch;
    task.end = min(task.begin + stretch, tokens);
    return task;
  }
};

// What all warps of the block need to know of a task: found once, not in every layer, because divisions and
// the page table are slow.
__device__ __forceinline__ void prepare_task(const WalkArgs& args, uint32_t number, WalkShared& shared) {
  if (threadIdx.x == 0) {
    const uint32_t tokens = shared.slot < 0 ? 0 : shared.position;  // in the cache
    const WalkSplit split(args, tokens, shared);
    shared.task = split.task(args, number, tokens, shared.stretches);
  }
  meet();
  if (threadIdx.x % 32 == 0) {
    const uint32_t warp = threadIdx.x / 32;
    const uint32_t token = shared.task.begin + 16 * warp;
    const uint32_t end = shared.task.end;
    const int32_t* pages =
        args.pages.page_table + static_cast<int64_t>(shared.slot) * args.pages.pages_a_slot;
    uint64_t place = 0;
    if (token < end)
      place = place_of_page(args.pages, pages[token / kPageTokens], shared.task.kv_head, shared.mark,
                            shared.failure);
    const uint32_t next = token + kRoundTokens;
    shared.pages[warp].place = place == ~0ull ? 0 : place;
    shared.pages[warp].next = next < end ? pages[next / kPageTokens] : 0;
  }
  __syncwarp();
}

}  // namespace linnet::cuda
