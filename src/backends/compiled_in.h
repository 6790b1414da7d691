// The one list of backends in this build.
#pragma once

#include "device/registry.h"

namespace linnet {

[[nodiscard]] Registry compiled_in_backends();

}  // namespace linnet
