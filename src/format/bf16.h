// bfloat16, little endian: the upper half of a binary32, narrowed to nearest even.
#pragma once

#include <cstddef>
#include <span>

namespace linnet {

void decode_bf16(std::span<const std::byte> bytes, std::span<float> values);
void encode_bf16(std::span<const float> values, std::span<std::byte> bytes);

}  // namespace linnet
