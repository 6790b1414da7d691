#include "format/q8_a.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace linnet {

void decode_q8_a(std::span<const std::byte> bytes, std::span<float> values) {
  for (size_t begin = 0; begin < values.size(); begin += Q8ABlock::kElements) {
    Q8ABlock block;
    std::memcpy(&block, bytes.data() + begin / Q8ABlock::kElements * sizeof block, sizeof block);
    for (size_t i = 0; i < Q8ABlock::kElements; ++i) {
      values[begin + i] = block.scale * static_cast<float>(block.codes[i]);
    }
  }
}

void encode_q8_a(std::span<const float> values, std::span<std::byte> bytes) {
  for (size_t begin = 0; begin < values.size(); begin += Q8ABlock::kElements) {
    const auto x = values.subspan(begin, Q8ABlock::kElements);
    float largest = 0;
    bool finite = true;
    for (const float v : x) {
      finite = finite && std::isfinite(v);
      largest = std::max(largest, std::fabs(v));
    }
    Q8ABlock block{};
    if (!finite) {
      block.scale = std::numeric_limits<float>::quiet_NaN();
    } else if (largest >= kQ8ASmallest) {
      block.scale = largest / 127.0f;
      const float inverse = 127.0f / largest;
      for (size_t i = 0; i < Q8ABlock::kElements; ++i) {
        block.codes[i] = static_cast<int8_t>(std::nearbyint(x[i] * inverse));
        block.sum += block.codes[i];
      }
    }
    std::memcpy(bytes.data() + begin / Q8ABlock::kElements * sizeof block, &block, sizeof block);
  }
}

}  // namespace linnet
