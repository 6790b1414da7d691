// Tensor copies: boxes of a matrix come into shared memory as the matrix units want them, in a ring of slots
// whose barriers count their bytes (compute capability 9.0).
#pragma once

#include <cuda.h>

#include "backends/cuda/kernels/barriers.cuh"

namespace linnet::cuda {

// A slot of the ring, and whether it has been there an odd number of times.
struct TileRing {
  uint32_t slot = 0;
  uint32_t parity = 0;
  __device__ __forceinline__ void advance(uint32_t slots) {
    if (++slot < slots) return;
    slot = 0;
    parity ^= 1;
  }
};

__device__ __forceinline__ void prefetch_maps(const CUtensorMap& one, const CUtensorMap& two) {
  asm volatile("prefetch.tensormap [%0];\nprefetch.tensormap [%1];" ::"l"(&one), "l"(&two) : "memory");
}

__device__ __forceinline__ void copy_box(uint32_t to, const CUtensorMap& map, uint32_t column, uint32_t row,
                                         uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
      "[%4];" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier))
      : "memory");
}
__device__ __forceinline__ void copy_box(uint32_t to, const CUtensorMap& map, uint32_t column, uint32_t row,
                                         uint64_t* barrier, uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
      "[%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier)), "l"(policy)
      : "memory");
}
// To the same place, and with the same barrier, in each block of the cluster that `blocks` has a bit for.
__device__ __forceinline__ void copy_box_to_blocks(uint32_t to, const CUtensorMap& map, uint32_t column,
                                                   uint32_t row, uint64_t* barrier, uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier)), "h"(blocks)
      : "memory");
}

}  // namespace linnet::cuda
