// Memory of the host, aligned, zeroed and resident from the start: what backends that compute on the host
// allocate.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "device/buffer.h"

namespace linnet {

class HostBuffer : public Buffer {
 public:
  // Throws Error(does_not_fit) if the system has no such memory.
  explicit HostBuffer(size_t bytes);

  [[nodiscard]] size_t bytes() const noexcept override { return bytes_; }
  [[nodiscard]] std::byte* data() noexcept { return memory_.get(); }
  [[nodiscard]] const std::byte* data() const noexcept { return memory_.get(); }

  // Throw Error(failure) if the range does not lie inside.
  void write(size_t offset, std::span<const std::byte> from);
  void read(size_t offset, std::span<std::byte> into) const;

 private:
  struct Unmap {
    size_t bytes;
    void operator()(std::byte* memory) const noexcept;
  };
  size_t bytes_;
  std::unique_ptr<std::byte, Unmap> memory_;
};

}  // namespace linnet
