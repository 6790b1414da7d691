// The input of a stage: x, normed if there is a norm, in shared memory in the format of the product.
#pragma once

#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace linnet::cuda {

__device__ __forceinline__ float to_float(float x) {
  return x;
}
__device__ __forceinline__ float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
__device__ __forceinline__ float to_float(__half x) {
  return __half2float(x);
}
__device__ __forceinline__ void assign(float& to, float x) {
  to = x;
}
__device__ __forceinline__ void assign(__nv_bfloat16& to, float x) {
  to = __float2bfloat16_rn(x);
}
__device__ __forceinline__ void assign(__half& to, float x) {
  to = __float2half_rn(x);
}

// Four numbers of a row from element i on, at once where they lie so.
__device__ __forceinline__ float4 load_four(const Tensor& x, uint32_t row, uint32_t i) {
  const bool aligned = x.stride % 4 == 0 && reinterpret_cast<uintptr_t>(x.data) % 16 == 0;
  const uint64_t at = row * x.stride + i;
  if (aligned && x.format == Format::f32)
    return *reinterpret_cast<const float4*>(reinterpret_cast<const float*>(x.data) + at);
  if (aligned && x.format == Format::bf16) {
    const uint2 raw = *reinterpret_cast<const uint2*>(x.data + 2 * at);
    return make_float4(__uint_as_float(raw.x << 16), __uint_as_float(raw.x & 0xFFFF0000u),
                       __uint_as_float(raw.y << 16), __uint_as_float(raw.y & 0xFFFF0000u));
  }
  return make_float4(load_number(x, row, i), load_number(x, row, i + 1), load_number(x, row, i + 2),
                     load_number(x, row, i + 3));
}

// By all kThreads threads of the block, which have met when it returns.
template <uint32_t kThreads, class X, int R>
__device__ __forceinline__ void prepare(const StageArgs& args, X* xs, float* shared) {
  const uint32_t k = args.weight.columns;
  for (uint32_t r = 0; r < args.rows; ++r) {
    float scale = 1;
    if (args.norm != nullptr) {
      float squares = 0;
      for (uint32_t i = 4 * threadIdx.x; i < k; i += 4 * kThreads) {
        const float4 x = load_four(args.x, r, i);
        squares += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
      }
      scale = 1.0f / sqrtf(block_sum(squares, shared) / static_cast<float>(k) + args.epsilon);
    }
    for (uint32_t i = 4 * threadIdx.x; i < k; i += 4 * kThreads) {
      float4 x = load_four(args.x, r, i);
      if (args.norm != nullptr) {
        const float4 norm = *reinterpret_cast<const float4*>(args.norm + i);
        x = make_float4(x.x * scale * norm.x, x.y * scale * norm.y, x.z * scale * norm.z,
                        x.w * scale * norm.w);
      }
      X* to = xs + r * k + i;
      assign(to[0], x.x);
      assign(to[1], x.y);
      assign(to[2], x.z);
      assign(to[3], x.w);
    }
  }
  for (uint32_t i = args.rows * k + threadIdx.x; i < R * k; i += kThreads) assign(xs[i], 0.0f);
  __syncthreads();
}

}  // namespace linnet::cuda
