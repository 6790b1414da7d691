// What is behind a tensor: plain bytes in memory of its device, and the layouts its kernels wanted so far.
#pragma once

#include <map>
#include <memory>
#include <span>

#include "api/boundary.h"
#include "program/shape.h"
#include "program/weight_spec.h"

namespace linnet::v0 {

struct Tensor::Impl {
  Impl(std::shared_ptr<Device::Impl> owner, Shape dims, Format element);

  [[nodiscard]] linnet::Device& device() const noexcept { return *on->device; }
  [[nodiscard]] linnet::Format stored() const noexcept;
  [[nodiscard]] linnet::Shape internal_shape() const;
  [[nodiscard]] size_t elements() const { return internal_shape().elements(); }
  [[nodiscard]] size_t bytes() const { return bytes_of(stored(), elements()); }
  [[nodiscard]] std::vector<std::byte> read() const;
  void write(std::span<const std::byte> from);
  // The tensor as the device's kernels want a weight of that use: loaded once, then kept.
  [[nodiscard]] Buffer& weight(Use use) const;

  std::shared_ptr<Device::Impl> on;
  Shape shape;
  Format format;
  std::unique_ptr<Buffer> buffer;
  mutable std::map<Use, std::unique_ptr<Buffer>> weights;
};

[[nodiscard]] linnet::Format internal_format(Format format);
// The tensor's inside; Error(usage) if there is no tensor.
[[nodiscard]] const Tensor::Impl& inside(const Tensor& tensor);

}  // namespace linnet::v0
