// IEEE binary32, little endian: copied as it is.
#pragma once

#include <cstddef>
#include <span>

namespace linnet {

void decode_f32(std::span<const std::byte> bytes, std::span<float> values);
void encode_f32(std::span<const float> values, std::span<std::byte> bytes);

}  // namespace linnet
