// Barriers in shared memory, for which copies count their bytes; and what goes with such copies.
#pragma once

#include <cstdint>

namespace linnet::cuda {

__device__ __forceinline__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void init_barrier(uint64_t* barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void expect_bytes(uint64_t* barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// One lane of a whole warp, in a way that the compiler knows it to be alone: else it makes a loop over lanes
// of every instruction whose operands must be the same for all.
__device__ __forceinline__ bool one_lane() {
  uint32_t mine;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xFFFFFFFF;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(mine));
  return mine != 0;
}

// Racecheck knows of the thread that arrives, not of its warp, whose lanes it has met before. A build for it
// (LINNET_RACECHECK) lets every lane arrive.
#ifdef LINNET_RACECHECK
inline constexpr bool kForRacecheck = true;
#else
inline constexpr bool kForRacecheck = false;
#endif
inline constexpr uint32_t kWarpArrivals = kForRacecheck ? 32 : 1;
__device__ __forceinline__ void arrive_as_warp(uint64_t* barrier) {
  __syncwarp();
  if (kForRacecheck || one_lane()) arrive(barrier);
}

__device__ __forceinline__ bool passed(uint64_t* barrier, uint32_t parity) {
  uint32_t done;
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(shared_address(barrier)), "r"(parity)
               : "memory");
  return done != 0;
}
__device__ __forceinline__ void wait(uint64_t* barrier, uint32_t parity) {
  uint32_t done;
  do {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  } while (done == 0);
}

// Of copies: what is read once a run shall not drive out of the cache what others read.
__device__ __forceinline__ uint64_t read_once_policy() {
  uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

}  // namespace linnet::cuda
