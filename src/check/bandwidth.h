// Read bandwidth, measured by reading: the yardstick for kernels that stream weights.
#pragma once

#include <cstddef>
#include <vector>

#include "device/device.h"

namespace linnet {

struct Bandwidth {
  unsigned threads = 0;          // of the host; 0: the device read its own memory
  std::vector<ReadSpeed> lines;  // on the host, streams are interleaved by each thread
  // What memory can do depends on how it is asked: the best of all ways.
  [[nodiscard]] double best() const noexcept;
};

struct BandwidthOptions {
  unsigned threads = 0;              // 0: one per processor this process may use
  size_t bytes = size_t{256} << 20;  // well beyond any cache
  unsigned repetitions = 5;          // the fastest counts
};

// Of the memory that the device computes in; the options are for the host's.
[[nodiscard]] Bandwidth measure_bandwidth(Device& device, const BandwidthOptions& options = {});
[[nodiscard]] Bandwidth measure_host_bandwidth(const BandwidthOptions& options = {});

}  // namespace linnet
