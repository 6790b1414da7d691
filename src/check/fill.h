// Contents of values before a run, as data: a rule with a seed, or the numbers themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "program/value.h"

namespace linnet {

struct Fill {
  enum class Kind : uint8_t {
    normal,   // mean + deviation · a normal number
    numbers,  // `numbers`, repeated to fill the value
    words,    // `words` as 32-bit integers, repeated to fill the value
  };
  Kind kind = Kind::normal;
  float deviation = 1;
  float mean = 0;
  std::vector<float> numbers = {};
  std::vector<int32_t> words = {};
  uint32_t parts = 1;  // of a weight: tensors that are stacked

  static Fill normal(float deviation = 1, float mean = 0) { return {.deviation = deviation, .mean = mean}; }
  static Fill values(std::vector<float> numbers) {
    return {.kind = Kind::numbers, .numbers = std::move(numbers)};
  }
  static Fill integers(std::vector<int32_t> words) {
    return {.kind = Kind::words, .words = std::move(words)};
  }
  static Fill stacked(uint32_t parts) { return {.parts = parts}; }
};

// Uniform 64-bit numbers by counter (SplitMix64): the same everywhere, in any order.
[[nodiscard]] uint64_t mixed(uint64_t seed, uint64_t counter) noexcept;
[[nodiscard]] uint64_t seed_of(std::string_view name) noexcept;
// Approximately normal with deviation 1, bounded by 6.
[[nodiscard]] float normal_number(uint64_t seed, uint64_t counter) noexcept;

// The bytes of a whole value in its format.
[[nodiscard]] std::vector<std::byte> filled(const Fill& fill, const ValueInfo& value, uint64_t seed);

}  // namespace linnet
