// Element and block formats: how numbers lie in memory. One file each for what a format means; this header is
// the list, the sizes and the dispatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string_view>

namespace linnet {

enum class Format : uint8_t {
  f32,
  f16,
  bf16,
  q8_0,     // weights: 32 signed codes that share a binary16 scale
  q8_a,     // activations: 32 signed codes with a float scale and the sum of the codes
  i32,      // tokens, positions, tables; not a number format for products
  compute,  // in a recorded program: the activation type that CompileOptions will choose
  kv,       // in a recorded program: the cache's type that CompileOptions will choose
};

struct FormatTraits {
  std::string_view name;
  uint32_t block_elements;  // elements that are stored together; 0 for compute and kv
  uint32_t block_bytes;
};

[[nodiscard]] const FormatTraits& traits(Format format) noexcept;
[[nodiscard]] std::optional<Format> format_named(std::string_view name) noexcept;
std::ostream& operator<<(std::ostream& out, Format format);

// Bytes of `elements` numbers. Throws if they do not fill whole blocks or the size does not fit.
[[nodiscard]] size_t bytes_of(Format format, size_t elements);

// Exact values of whole blocks: values.size() elements from the front of bytes. i32 becomes its float value.
void decode(Format format, std::span<const std::byte> bytes, std::span<float> values);
// The nearest representable values, by the rule each format's file states.
void encode(Format format, std::span<const float> values, std::span<std::byte> bytes);

}  // namespace linnet
