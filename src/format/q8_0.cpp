#include "format/q8_0.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/float16.h"

namespace linnet {

void decode_q8_0(std::span<const std::byte> bytes, std::span<float> values) {
  for (size_t begin = 0; begin < values.size(); begin += Q8_0Block::kElements) {
    Q8_0Block block;
    std::memcpy(&block, bytes.data() + begin / Q8_0Block::kElements * sizeof block, sizeof block);
    const float scale = half_to_float(block.scale);
    for (size_t i = 0; i < Q8_0Block::kElements; ++i)
      values[begin + i] = scale * static_cast<float>(block.codes[i]);
  }
}

void encode_q8_0(std::span<const float> values, std::span<std::byte> bytes) {
  for (size_t begin = 0; begin < values.size(); begin += Q8_0Block::kElements) {
    const auto x = values.subspan(begin, Q8_0Block::kElements);
    float largest = 0;
    for (const float v : x) largest = std::max(largest, std::fabs(v));
    const float scale = largest / 127.0f;
    const float inverse = scale != 0 ? 1.0f / scale : 0.0f;
    Q8_0Block block{.scale = float_to_half(scale), .codes = {}};
    for (size_t i = 0; i < Q8_0Block::kElements; ++i) {
      block.codes[i] = static_cast<int8_t>(std::clamp(std::round(x[i] * inverse), -127.0f, 127.0f));
    }
    std::memcpy(bytes.data() + begin / Q8_0Block::kElements * sizeof block, &block, sizeof block);
  }
}

}  // namespace linnet
