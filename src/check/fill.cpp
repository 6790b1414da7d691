#include "check/fill.h"

#include <cstring>

#include "base/error.h"

namespace linnet {

uint64_t mixed(uint64_t seed, uint64_t counter) noexcept {
  uint64_t z = seed + (counter + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

uint64_t seed_of(std::string_view name) noexcept {
  uint64_t hash = 0xCBF29CE484222325ull;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

float normal_number(uint64_t seed, uint64_t counter) noexcept {
  // Four uniform numbers of variance 1/12: their sum, centred and scaled by sqrt(3), has variance 1.
  const uint64_t bits = mixed(seed, counter);
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<float>((bits >> (16 * i)) & 0xFFFF) * 0x1p-16f;
  return (sum - 2.0f) * 1.7320508f;
}

std::vector<std::byte> filled(const Fill& fill, const ValueInfo& value, uint64_t seed) {
  const size_t elements = value.shape.elements();
  std::vector<std::byte> bytes(bytes_of(value.format, elements));
  if (fill.kind == Fill::Kind::words) {
    if (value.format != Format::i32 || fill.words.empty()) {
      fail(ErrorKind::failure, "[fill] ", value.name, ": integers fill only i32, got ", value.format);
    }
    for (size_t i = 0; i < elements; ++i) {
      std::memcpy(bytes.data() + i * sizeof(int32_t), &fill.words[i % fill.words.size()], sizeof(int32_t));
    }
    return bytes;
  }
  std::vector<float> numbers(elements);
  for (size_t i = 0; i < elements; ++i) {
    numbers[i] = fill.kind == Fill::Kind::numbers ? fill.numbers[i % fill.numbers.size()]
                                                  : fill.mean + fill.deviation * normal_number(seed, i);
  }
  encode(value.format, numbers, bytes);
  return bytes;
}

}  // namespace linnet
