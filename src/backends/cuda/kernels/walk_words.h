// The words in which numbers travel between the walk's blocks. Each carries a tag, the number of the use of
// its place: a reader knows from the word itself whether it is the one that he waits for.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace linnet::cuda {

// A number: 16 bits of fraction, and eight of the tag. A NaN stays one.
inline constexpr uint32_t kWordTag = 0xFF;
[[nodiscard]] __host__ __device__ __forceinline__ uint32_t word_of(float value, uint32_t tag) {
  const uint32_t bits = value != value ? 0x7FC00000u : std::bit_cast<uint32_t>(value) + 0x80u;
  return (bits & ~kWordTag) | (tag & kWordTag);
}
[[nodiscard]] __host__ __device__ __forceinline__ bool fresh(uint32_t word, uint32_t tag) {
  return ((word ^ tag) & kWordTag) == 0;
}
[[nodiscard]] __host__ __device__ __forceinline__ float number_of(uint32_t word) {
  return std::bit_cast<float>(word & ~kWordTag);
}

// Two numbers: BF16 below 2^65, moved to where the highest bit of the exponent is not needed. There stand two
// bits of the tag, which is enough: what lies in a place is of this use or of the one before. The largest
// number stands for all that are larger, and for NaN; it is read as NaN.
inline constexpr uint32_t kPairTag = 0x40004000;
[[nodiscard]] __host__ __device__ __forceinline__ uint32_t pair_tag(uint32_t tag) {
  return (tag & 1) << 14 | (tag & 2) << 29;
}
[[nodiscard]] __host__ __device__ __forceinline__ uint32_t bits_of(const __nv_bfloat162& two) {
  uint32_t bits;
  std::memcpy(&bits, &two, sizeof bits);
  return bits;
}
[[nodiscard]] __host__ __device__ __forceinline__ uint32_t pair_of(float first, float second, uint32_t tag) {
  constexpr float kMost = 0x1.FCp+64f;
  const bool first_fits = first <= kMost && first >= -kMost;
  const bool second_fits = second <= kMost && second >= -kMost;
  uint32_t bits = bits_of(__floats2bfloat162_rn(first * 0x1p-64f, second * 0x1p-64f));
  if (!(first_fits && second_fits)) {  // rare
    if (!first_fits) bits = (bits & 0xFFFF0000u) | 0x3FFFu;
    if (!second_fits) bits = (bits & 0xFFFFu) | 0x3FFF0000u;
  }
  return bits | pair_tag(tag);
}
// As BF16, the first in the low half, and none of them NaN.
[[nodiscard]] __host__ __device__ __forceinline__ uint32_t moved_back(uint32_t word) {
  const uint32_t bits = word & ~kPairTag;
  __nv_bfloat162 moved;
  std::memcpy(static_cast<void*>(&moved), &bits, sizeof bits);
  return bits_of(__hmul2(moved, __float2bfloat162_rn(0x1p+64f)));
}
inline constexpr float kNaNMovedBack = 0x1.FEp+64f;  // what should be NaN, and all others are smaller
[[nodiscard]] __host__ __device__ __forceinline__ uint32_t numbers_of_pair(uint32_t word) {
  uint32_t numbers = moved_back(word);
  if ((word & 0x3FFFu) == 0x3FFFu) numbers |= 0xFFFFu;
  if ((word & 0x3FFF0000u) == 0x3FFF0000u) numbers |= 0xFFFF0000u;
  return numbers;
}
// Of four words in a third of the instructions, for all of them wait for x: one look says whether any number
// is NaN, which is rare.
[[nodiscard]] __host__ __device__ __forceinline__ uint4 numbers_of_pairs(const uint4& words) {
  constexpr uint32_t kDigits = 0x3FFF3FFF;                                        // all of them set: NaN
  const auto others = [](uint32_t word) { return (~word & kDigits) + kDigits; };  // bit 14 if one is not set
  const uint32_t fit = others(words.x) & others(words.y) & others(words.z) & others(words.w);
  if ((fit & kPairTag) != kPairTag)
    return {numbers_of_pair(words.x), numbers_of_pair(words.y), numbers_of_pair(words.z),
            numbers_of_pair(words.w)};
  return {moved_back(words.x), moved_back(words.y), moved_back(words.z), moved_back(words.w)};
}

}  // namespace linnet::cuda
