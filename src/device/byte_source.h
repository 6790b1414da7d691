// Where the bytes of a weight come from while it is loaded.
#pragma once

#include <cstddef>
#include <span>

#include "format/format.h"

namespace linnet {

// One entry per Part of the WeightSpec. What mapped() returns stays valid until the device's buffers are
// gone.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // As the file has it; may differ from WeightSpec::format, then the device converts.
  [[nodiscard]] virtual Format format(size_t part) const = 0;
  // All bytes of the part where they lie in memory, for a device that can use them there. Touching them makes
  // them resident. Empty where there is no such place.
  [[nodiscard]] virtual std::span<const std::byte> mapped(size_t part) const = 0;
  // A copy of some bytes that leaves nothing resident.
  virtual void read(size_t part, size_t offset, std::span<std::byte> into) const = 0;
};

}  // namespace linnet
