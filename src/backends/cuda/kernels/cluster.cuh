// Blocks that run side by side and see each other's shared memory (compute capability 9.0).
#pragma once

#include "backends/cuda/kernels/barriers.cuh"

namespace linnet::cuda {

// The lanes of a warp arrive and wait together: they may come from branches and loops of their own.
__device__ __forceinline__ void arrive_at_cluster() {
  __syncwarp();
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_for_cluster() {
  __syncwarp();
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ uint32_t in_block(uint32_t address, uint32_t rank) {
  uint32_t there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}
// At the barrier of another block, or of this one, to say that something has been read: a release to the
// cluster would wait for all writes (half of a slab's time).
__device__ __forceinline__ void arrive_in_block(uint64_t* barrier, uint32_t rank) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(in_block(shared_address(barrier), rank))
               : "memory");
}

}  // namespace linnet::cuda
