#include "format/f16.h"

#include "base/float16.h"
#include "format/words.h"

namespace linnet {

void decode_f16(std::span<const std::byte> bytes, std::span<float> values) {
  decode_words<uint16_t>(bytes, values, half_to_float);
}

void encode_f16(std::span<const float> values, std::span<std::byte> bytes) {
  encode_words<uint16_t>(values, bytes, float_to_half);
}

}  // namespace linnet
