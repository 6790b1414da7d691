// What the host says of itself: the processor's name and its memory, within the limits this process lives
// under.
#pragma once

#include <cstddef>
#include <string>

namespace linnet {

struct HostInfo {
  std::string processor;        // "AMD EPYC 9R14", or "unknown processor"
  size_t total_memory = 0;      // bytes; the control group's limit if that is lower
  size_t available_memory = 0;  // bytes that can be had now without swapping
};

[[nodiscard]] HostInfo host_info();

}  // namespace linnet
