// The backends there are, and choosing one. The list itself is backends/compiled_in.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace linnet {

// How a GPU is driven in decode.
enum class Launching : uint8_t {
  automatic,  // walk for models of some size, graph for small ones
  walk,       // as graph, but one kernel for all layers of a decoder where that takes them
  graph,      // a kernel for each op, replayed as one launch
  kernels,    // a kernel for each op, launched one by one
};
// "" is auto. Throws Error(usage) for a name nobody knows.
[[nodiscard]] Launching launching_named(std::string_view name);

struct DeviceOptions {
  unsigned threads = 0;         // 0: one per processor this process may use
  std::string instruction_set;  // "": the best this processor has; else e.g. "avx2"
  Launching launching = Launching::automatic;
};

struct Backend {
  std::string name;
  std::string description;
  bool compiled_in = false;
  bool automatic = false;  // `auto` may choose it
  // Empty if a device can be opened; otherwise why not. Cheap, no side effects.
  std::function<std::string()> unavailable;
  std::function<std::unique_ptr<Device>(const DeviceOptions&)> open;
};

// Backends in the order in which `auto` prefers them.
using Registry = std::vector<Backend>;

struct OpenedDevice {
  std::unique_ptr<Device> device;
  std::string note;  // one line for the user if `auto` had to pass over a backend that is compiled in
};

// `name` is "auto" or a backend's name. Throws Error(usage) for a name nobody knows, Error(device) with the
// reason for one that cannot be used. Only `auto` falls back.
[[nodiscard]] OpenedDevice open_device(const Registry& registry, std::string_view name,
                                       const DeviceOptions& options = {});

}  // namespace linnet
