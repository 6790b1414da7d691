#include "format/f32.h"

#include <cstring>

namespace linnet {

void decode_f32(std::span<const std::byte> bytes, std::span<float> values) {
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size_bytes());
}

void encode_f32(std::span<const float> values, std::span<std::byte> bytes) {
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), values.size_bytes());
}

}  // namespace linnet
