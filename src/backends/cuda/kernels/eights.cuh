// How the matrix units leave rows in registers, two neighbours a lane, and how such rows are stored: eight
// BF16 numbers a lane.
#pragma once

#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>

namespace linnet::cuda {

__device__ __forceinline__ uint32_t as_bf16(float first, float second) {
  const __nv_bfloat162 two = __floats2bfloat162_rn(first, second);
  return *reinterpret_cast<const uint32_t*>(&two);
}

// Four lanes side by side have two numbers each of four groups of eight: lane q gets all of group q.
__device__ __forceinline__ uint4 one_group_each(const uint32_t (&two)[4]) {
  const bool odd = threadIdx.x % 2 != 0;
  const bool upper = threadIdx.x % 4 >= 2;
  // With the neighbour: the even one gets groups 0 and 2, the odd one 1 and 3.
  const uint32_t first = __shfl_xor_sync(~0u, odd ? two[0] : two[1], 1);
  const uint32_t second = __shfl_xor_sync(~0u, odd ? two[2] : two[3], 1);
  const uint2 low = odd ? make_uint2(first, two[1]) : make_uint2(two[0], first);
  const uint2 high = odd ? make_uint2(second, two[3]) : make_uint2(two[2], second);
  // With the pair beside: the lower one gets groups 0 and 1.
  const uint2 sent = upper ? low : high;
  const uint2 got = make_uint2(__shfl_xor_sync(~0u, sent.x, 2), __shfl_xor_sync(~0u, sent.y, 2));
  return upper ? make_uint4(got.x, got.y, high.x, high.y) : make_uint4(low.x, low.y, got.x, got.y);
}

// Stores 32 neighbours of a row, of which this thread has four pairs. Called by whole warps; `to` is null
// where there is nothing to store.
__device__ __forceinline__ void store_groups(std::byte* to, const uint32_t (&two)[4]) {
  const uint4 group = one_group_each(two);
  if (to != nullptr) reinterpret_cast<uint4*>(to)[threadIdx.x % 4] = group;
}

}  // namespace linnet::cuda
