// Memory of a device that holds one value. What lies in it is the device's business.
#pragma once

#include <cstddef>

namespace linnet {

class Buffer {
 public:
  virtual ~Buffer() = default;
  // Bytes that are resident because of this buffer.
  [[nodiscard]] virtual size_t bytes() const noexcept = 0;
};

}  // namespace linnet
