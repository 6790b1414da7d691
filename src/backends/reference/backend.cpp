#include "backends/reference/backend.h"

#include "backends/reference/device.h"

namespace linnet {

Backend reference_backend() {
  return {.name = "reference",
          .description = "float64 on one thread: slow, and the meaning of every op",
          .compiled_in = true,
          .automatic = false,
          .unavailable = [] { return std::string(); },
          .open = [](const DeviceOptions&) { return std::make_unique<reference::ReferenceDevice>(); }};
}

}  // namespace linnet
