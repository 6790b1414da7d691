// Memory of the GPU, and memory of the host that the GPU can reach.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "device/buffer.h"

namespace linnet::cuda {

struct FreeDevice {
  void operator()(std::byte* memory) const noexcept;
};
struct FreePinned {
  void operator()(std::byte* memory) const noexcept;
};
using DeviceMemory = std::unique_ptr<std::byte, FreeDevice>;
using PinnedMemory = std::unique_ptr<std::byte, FreePinned>;

// Throw Error(does_not_fit) if there is no such memory. Aligned to 256 bytes or more; contents undefined.
[[nodiscard]] DeviceMemory allocate_device(size_t bytes);
[[nodiscard]] PinnedMemory allocate_pinned(size_t bytes);
// All zero, and copies of what the host has: done when they return. The runtime's own calls for this may
// still be under way then, on a stream that those of the queue do not wait for.
[[nodiscard]] DeviceMemory allocate_zeroed(size_t bytes);
void upload(std::byte* to, std::span<const std::byte> from);

// State, inputs, outputs and scratch: zeroed.
class CudaBuffer : public Buffer {
 public:
  explicit CudaBuffer(size_t bytes);
  [[nodiscard]] size_t bytes() const noexcept override { return bytes_; }
  [[nodiscard]] std::byte* data() const noexcept { return memory_.get(); }
  // Throws Error(failure) if the range does not lie inside.
  void check_range(size_t offset, size_t bytes) const;

 private:
  size_t bytes_;
  DeviceMemory memory_;
};

}  // namespace linnet::cuda
