// The host's read bandwidth, measured by reading: the yardstick for kernels that stream weights.
#pragma once

#include <cstddef>
#include <vector>

namespace linnet {

struct BandwidthLine {
  unsigned streams = 0;  // interleaved by each thread
  double bytes_per_second = 0;
};

struct Bandwidth {
  unsigned threads = 0;
  size_t bytes = 0;  // read each time
  std::vector<BandwidthLine> lines;
  // What memory can do depends on how it is asked: the best of all ways.
  [[nodiscard]] double best() const noexcept;
};

struct BandwidthOptions {
  unsigned threads = 0;              // 0: one per processor this process may use
  size_t bytes = size_t{256} << 20;  // well beyond any cache
  unsigned repetitions = 5;          // the fastest counts
};

[[nodiscard]] Bandwidth measure_bandwidth(const BandwidthOptions& options = {});

}  // namespace linnet
