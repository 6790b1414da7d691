// The cpu backend's entry in the list of backends.
#pragma once

#include <string>
#include <vector>

#include "device/registry.h"

namespace linnet {

[[nodiscard]] Backend cpu_backend();

// What DeviceOptions::instruction_set may name on this processor, best first.
[[nodiscard]] std::vector<std::string> cpu_instruction_sets();

}  // namespace linnet
