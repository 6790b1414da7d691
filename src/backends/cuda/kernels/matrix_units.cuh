// 16-bit numbers as the matrix units take them: a float as two of them, and words of what was loaded.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>

#include "backends/cuda/kernels/instructions.cuh"

namespace linnet::cuda {

// Two floats as 16-bit numbers, and what that lost as two more.
template <class T>
__device__ __forceinline__ void split(float x, float y, uint32_t& high, uint32_t& low);

template <>
__device__ __forceinline__ void split<__nv_bfloat16>(float x, float y, uint32_t& high, uint32_t& low) {
  const __nv_bfloat162 first = __floats2bfloat162_rn(x, y);
  const float2 kept = __bfloat1622float2(first);
  const __nv_bfloat162 second = __floats2bfloat162_rn(x - kept.x, y - kept.y);
  high = *reinterpret_cast<const uint32_t*>(&first);
  low = *reinterpret_cast<const uint32_t*>(&second);
}

template <>
__device__ __forceinline__ void split<__half>(float x, float y, uint32_t& high, uint32_t& low) {
  const __half2 first = __floats2half2_rn(x, y);
  const float2 kept = __half22float2(first);
  const __half2 second = __floats2half2_rn(x - kept.x, y - kept.y);
  high = *reinterpret_cast<const uint32_t*>(&first);
  low = *reinterpret_cast<const uint32_t*>(&second);
}

__device__ __forceinline__ uint4 load_16(const std::byte* data, uint64_t element) {
  return __ldg(reinterpret_cast<const uint4*>(data + 2 * element));
}

// Component j / 2 of what was loaded: numbers j and j + 1.
__device__ __forceinline__ uint32_t word(const uint4& four, uint32_t i) {
  return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

}  // namespace linnet::cuda
