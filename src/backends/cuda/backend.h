// NVIDIA GPUs.
#pragma once

#include "device/registry.h"

namespace linnet {

[[nodiscard]] Backend cuda_backend();

}  // namespace linnet
