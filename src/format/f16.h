// IEEE binary16, little endian: widened exactly, narrowed to nearest even.
#pragma once

#include <cstddef>
#include <span>

namespace linnet {

void decode_f16(std::span<const std::byte> bytes, std::span<float> values);
void encode_f16(std::span<const float> values, std::span<std::byte> bytes);

}  // namespace linnet
