#include "backends/cpu/backend.h"

#include "backends/cpu/device.h"

namespace linnet {

Backend cpu_backend() {
  return {.name = "cpu",
          .description = "this processor",
          .compiled_in = true,
          .automatic = true,
          .unavailable = [] { return std::string(); },
          .open = [](const DeviceOptions& options) { return std::make_unique<cpu::CpuDevice>(options); }};
}

std::vector<std::string> cpu_instruction_sets() {
  std::vector<std::string> names;
  for (const cpu::InstructionSet& set : cpu::instruction_sets()) names.push_back(set.name);
  return names;
}

}  // namespace linnet
