// The product of the matrix units that kernels here use: 16 × 8 sums of 16 products each, 16-bit numbers,
// sums in float; and how tiles of its operands come through shared memory.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

namespace linnet::cuda {

template <class T>
__device__ __forceinline__ void multiply_add(float (&sum)[4], const uint32_t (&a)[4], uint32_t b0,
                                             uint32_t b1);

template <>
__device__ __forceinline__ void multiply_add<__nv_bfloat16>(float (&sum)[4], const uint32_t (&a)[4],
                                                            uint32_t b0, uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

template <>
__device__ __forceinline__ void multiply_add<__half>(float (&sum)[4], const uint32_t (&a)[4], uint32_t b0,
                                                     uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

// 16 × 8 sums of 32 products of signed bytes.
__device__ __forceinline__ void multiply_bytes(int (&sum)[4], const uint4& a, const uint2& b) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
#endif
}

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

// Four 8 × 8 matrices of 16-bit numbers from shared memory. Lane 8 m + r gives the address of row r of matrix
// m; lane l gets of each the numbers 2 (l mod 4) and the next of row l / 4.
__device__ __forceinline__ void load_matrices(uint32_t (&into)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(into[0]), "=r"(into[1]), "=r"(into[2]), "=r"(into[3])
               : "r"(address));
}
// The same of the transposed matrices.
__device__ __forceinline__ void load_transposed(uint32_t (&into)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(into[0]), "=r"(into[1]), "=r"(into[2]), "=r"(into[3])
               : "r"(address));
}

// 16 bytes into shared memory without a register, zeros if they are not `there`; wait_for_copies() waits for
// those that this thread asked for.
__device__ __forceinline__ void copy_16(uint32_t to, const std::byte* from, bool there) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0)
               : "memory");
#endif
}
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace linnet::cuda
