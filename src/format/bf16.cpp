#include "format/bf16.h"

#include "base/float16.h"
#include "format/words.h"

namespace linnet {

void decode_bf16(std::span<const std::byte> bytes, std::span<float> values) {
  decode_words<uint16_t>(bytes, values, bfloat16_to_float);
}

void encode_bf16(std::span<const float> values, std::span<std::byte> bytes) {
  encode_words<uint16_t>(values, bytes, float_to_bfloat16);
}

}  // namespace linnet
