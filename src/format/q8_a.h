// Q8_A, our format of activations for integer products: groups of 32 signed codes with a float scale and the
// sum of the codes (what an unsigned weight's zero point is multiplied with). value = code · scale. Its
// arithmetic is exact by definition: every backend produces these very bits from the same floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace linnet {

struct Q8ABlock {
  static constexpr uint32_t kElements = 32;
  float scale;
  int32_t sum;
  int8_t codes[kElements];
};
static_assert(sizeof(Q8ABlock) == 40);

void decode_q8_a(std::span<const std::byte> bytes, std::span<float> values);
// In float32: scale = max|x| / 127; inverse = 127 / max|x|; code = x · inverse to nearest even, so |code| ≤
// 127. A group whose largest magnitude is below 2^-100 is stored as zeros, so that the inverse stays finite;
// NaN and infinity make the scale NaN and the codes zero: they reach the product instead of being lost.
void encode_q8_a(std::span<const float> values, std::span<std::byte> bytes);

inline constexpr float kQ8ASmallest = 0x1p-100f;

}  // namespace linnet
