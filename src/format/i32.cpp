#include "format/i32.h"

#include <cstdint>
#include "format/words.h"

namespace linnet {

void decode_i32(std::span<const std::byte> bytes, std::span<float> values) {
  decode_words<int32_t>(bytes, values, [](int32_t word) { return static_cast<float>(word); });
}

void encode_i32(std::span<const float> values, std::span<std::byte> bytes) {
  encode_words<int32_t>(values, bytes, [](float value) { return static_cast<int32_t>(value); });
}

}  // namespace linnet
