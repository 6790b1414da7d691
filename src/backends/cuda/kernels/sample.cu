// Sample: one block draws the token of one row.
#include "backends/cuda/kernels/draw.cuh"
#include "backends/cuda/kernels/launch.cuh"

namespace linnet::cuda {
namespace {

using Block = Drawers<0, 1024, 8>;

// What this thread has of the logits.
__device__ __forceinline__ Largest largest_of_some(const float* logits, uint32_t vocabulary) {
  Largest largest = Largest::none();
  // Four at a time, and several of those on their way: all that greedy decoding does here is wait for them.
  const uint32_t fours = reinterpret_cast<uintptr_t>(logits) % 16 == 0 ? vocabulary / 4 : 0;
#pragma unroll 8
  for (uint32_t i = threadIdx.x; i < fours; i += Block::kThreads) {
    const float4 four = reinterpret_cast<const float4*>(logits)[i];
    largest.look(four.x, 4 * i);
    largest.look(four.y, 4 * i + 1);
    largest.look(four.z, 4 * i + 2);
    largest.look(four.w, 4 * i + 3);
  }
  for (uint32_t i = 4 * fours + threadIdx.x; i < vocabulary; i += Block::kThreads) largest.look(logits[i], i);
  return largest;
}

__global__ void __launch_bounds__(Block::kThreads)
    sample_kernel(SampleArgs args, Stamp mark, KernelFailure* failure) {
  __shared__ DrawShared shared;
  begin(mark);
  const float* logits = reinterpret_cast<const float*>(args.logits.data) + blockIdx.x * args.logits.stride;
  // One thing after another would be five times the way to memory: the slot comes while logits do, and what
  // lies there while threads compare them.
  DrawSlot of;
  of.ask_which(args, blockIdx.x);
  const Largest mine = largest_of_some(logits, args.logits.columns);
  of.ask_for_state(args, mark, failure);
  find_largest<Block>(mine, shared);
  draw_and_advance<Block>(args, logits, of, mark, failure, shared);
  if (mark.closes) close(mark);
}

}  // namespace

bool launch_sample(const SampleArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  launch(sample_kernel, args.rows, Block::kThreads, 0, common, args, common.stamp, common.failure);
  return true;
}

}  // namespace linnet::cuda
