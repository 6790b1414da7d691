// Sizes that cannot wrap: every product or sum that a file, a request or a configuration can influence.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/error.h"

namespace linnet {

// a·b, or nothing if it does not fit in 64 bits.
[[nodiscard]] constexpr std::optional<uint64_t> checked_multiply(uint64_t a, uint64_t b) noexcept {
  uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// a+b, or nothing if it does not fit in 64 bits.
[[nodiscard]] constexpr std::optional<uint64_t> checked_add(uint64_t a, uint64_t b) noexcept {
  uint64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// a·b for sizes that were validated before; a wrap is a defect and throws.
[[nodiscard]] inline size_t size_product(size_t a, size_t b) {
  const auto result = checked_multiply(a, b);
  if (!result) fail(ErrorKind::failure, "size ", a, " × ", b, " does not fit in 64 bits");
  return *result;
}

// The smallest multiple of alignment (a power of two) that is ≥ size.
[[nodiscard]] constexpr size_t align_up(size_t size, size_t alignment) noexcept {
  return (size + alignment - 1) & ~(alignment - 1);
}

[[nodiscard]] constexpr size_t divide_up(size_t a, size_t b) noexcept {
  return (a + b - 1) / b;
}

}  // namespace linnet
