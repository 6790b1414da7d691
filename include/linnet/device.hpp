// Devices: which there are, and opening one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linnet/export.hpp"
#include "linnet/receipt.hpp"

namespace linnet::LINNET_V0 {

struct DeviceOptions {
  unsigned threads = 0;              // 0: one per processor this process may use
  std::string instruction_set = {};  // "": the best this processor has; else e.g. "avx2"
  // Of a GPU. "walk": one kernel for all layers of a decode step where that takes them; "graph": a kernel for
  // each op, replayed as one launch; "kernels": one by one. "" or "auto": walk for models of some size, else
  // graph.
  std::string launching = {};
};

struct DeviceInfo {
  std::string backend = {};  // "cpu"
  std::string name = {};     // the processor's own name
  std::string detail = {};   // "2 threads, AVX-512 VNNI"
  size_t total_memory = 0;
  size_t free_memory = 0;  // now
};

// A handle: copies are the same device. A device, its tensors and its models are used by one thread at a
// time.
class LINNET_API Device {
 public:
  [[nodiscard]] DeviceInfo info() const;
  // One line for the user if "auto" had to pass over a better device; otherwise empty.
  [[nodiscard]] const std::string& note() const;
  // All that ran since the device was opened.
  [[nodiscard]] Receipt receipt() const;

  friend bool operator==(const Device& a, const Device& b) noexcept { return a.impl_ == b.impl_; }

  struct LINNET_HIDDEN Impl;

 private:
  friend struct Internals;
  explicit Device(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

// `name` is "auto" or a backend's name. Only "auto" chooses: a backend asked for by name that cannot be used
// is an Error(device) that says why, one that nobody knows an Error(usage).
[[nodiscard]] LINNET_API Device open_device(std::string_view name = "auto",
                                            const DeviceOptions& options = {});

struct BackendStatus {
  std::string name = {};         // what open_device() takes
  std::string description = {};  // what kind of device it is for
  bool compiled_in = false;
  std::string unavailable = {};  // why it cannot be used; empty if it can
  DeviceInfo device = {};        // of one that can be used
  bool recommended = false;      // what "auto" would open; at most one is
};

// Every backend this version knows, compiled in or not, in the order in which "auto" prefers them.
[[nodiscard]] LINNET_API std::vector<BackendStatus> backends();

}  // namespace linnet::LINNET_V0
