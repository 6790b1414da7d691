// Q8_0, a weight format of GGUF: blocks of 32 signed 8-bit codes with one binary16 scale; value = code ·
// scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace linnet {

struct Q8_0Block {
  static constexpr uint32_t kElements = 32;
  uint16_t scale;  // binary16
  int8_t codes[kElements];
};
static_assert(sizeof(Q8_0Block) == 34);

void decode_q8_0(std::span<const std::byte> bytes, std::span<float> values);
// scale = max|x| / 127 rounded to binary16, code = round(x · (1 / (max|x| / 127))) with halves away from
// zero: the rule of the files that other programs write.
void encode_q8_0(std::span<const float> values, std::span<std::byte> bytes);

}  // namespace linnet
