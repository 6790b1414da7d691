// The reference backend's entry in the list of backends.
#pragma once

#include "device/registry.h"

namespace linnet {

[[nodiscard]] Backend reference_backend();

}  // namespace linnet
