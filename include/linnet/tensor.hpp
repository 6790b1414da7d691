// Tensors: numbers that live on a device, in one of the formats Linnet computes with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "linnet/device.hpp"
#include "linnet/export.hpp"

namespace linnet::LINNET_V0 {

enum class Format : uint8_t {
  f32,
  f16,
  bf16,
  q8_0,  // weights: 32 signed codes that share a 16-bit scale
  q8_a,  // activations: 32 signed codes with a float scale and the sum of the codes; what quantize() makes
  i32,   // tokens and positions
};

[[nodiscard]] LINNET_API std::string_view to_string(Format format) noexcept;

using Shape = std::vector<uint32_t>;  // one to four dimensions, outermost first; none is 0

// Immutable: copies share the memory. Block formats need a last dimension of whole blocks (32).
class LINNET_API Tensor {
 public:
  // No tensor: stands for an operand that is left out.
  Tensor() = default;
  // `values` are encoded in `format`, rounding as that format does. Not for i32.
  static Tensor from_floats(std::span<const float> values, Shape shape, const Device& device,
                            Format format = Format::f32);
  static Tensor from_integers(std::span<const int32_t> values, Shape shape, const Device& device);
  // `bytes` as the format lays them out (for q8_0 and the plain formats: as GGUF files have them).
  static Tensor from_bytes(std::span<const std::byte> bytes, Shape shape, const Device& device,
                           Format format);

  // False iff there is no tensor; then all below throw Error(usage).
  [[nodiscard]] explicit operator bool() const noexcept { return impl_ != nullptr; }
  [[nodiscard]] const Shape& shape() const;
  [[nodiscard]] Format format() const;
  [[nodiscard]] Device device() const;
  [[nodiscard]] size_t elements() const;
  [[nodiscard]] size_t bytes() const;

  // The exact values; i32 as the nearest float.
  [[nodiscard]] std::vector<float> to_floats() const;
  // i32 only.
  [[nodiscard]] std::vector<int32_t> to_integers() const;
  [[nodiscard]] std::vector<std::byte> to_bytes() const;

  // The same bits on another device.
  [[nodiscard]] Tensor to(const Device& device) const;

  struct LINNET_HIDDEN Impl;

 private:
  friend struct Internals;
  explicit Tensor(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace linnet::LINNET_V0
