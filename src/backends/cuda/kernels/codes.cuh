// Codes of Q8_0 as BF16 numbers, which all of them are: the matrix units multiply them as they are, and the
// sums of 32 are scaled in float.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace linnet::cuda {

// Which two bytes of a word become the lower and the upper number.
inline constexpr uint32_t kFirstCodes = 0x4140;
inline constexpr uint32_t kLastCodes = 0x4342;

// (x & mask) | bits. The compiler takes two instructions where both are constants.
__device__ __forceinline__ uint32_t masked_with(uint32_t x, uint32_t mask, uint32_t bits) {
  uint32_t result;
  asm("lop3.b32 %0, %1, %2, %3, 0xEA;" : "=r"(result) : "r"(x), "r"(mask), "r"(bits));
  return result;
}

// 128 plus the lower seven bits of a code, minus 128, or 256 where its sign is set.
__device__ __forceinline__ uint32_t two_codes(uint32_t word, uint32_t which) {
  const uint32_t codes = __byte_perm(word, 0, which);
  const uint32_t lower = masked_with(codes, 0x007F007Fu, 0x43004300u);
  const uint32_t sign = masked_with(codes, 0x00800080u, 0xC300C300u);
  const __nv_bfloat162 two = __hadd2(*reinterpret_cast<const __nv_bfloat162*>(&lower),
                                     *reinterpret_cast<const __nv_bfloat162*>(&sign));
  return *reinterpret_cast<const uint32_t*>(&two);
}

// Of two scales in a word, as binary16.
__device__ __forceinline__ float scale_of_block(uint32_t both, uint32_t block) {
  const float2 two = __half22float2(*reinterpret_cast<const __half2*>(&both));
  return block == 0 ? two.x : two.y;
}

}  // namespace linnet::cuda
