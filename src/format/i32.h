// Signed 32-bit integers, little endian, seen as numbers by tests and bisect (exact up to 2^24).
#pragma once

#include <cstddef>
#include <span>

namespace linnet {

void decode_i32(std::span<const std::byte> bytes, std::span<float> values);
void encode_i32(std::span<const float> values, std::span<std::byte> bytes);

}  // namespace linnet
