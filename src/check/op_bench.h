// Speed of single ops on a device, for shapes that models really have; timed by the device's own receipt.
#pragma once

#include <string>
#include <vector>

#include "check/case.h"
#include "device/device.h"

namespace linnet {

struct BenchCase {
  Case what;         // `copies` ops of one kind, each over weights of its own, so that caches do not help
  double flops = 0;  // of one op
  uint32_t copies = 1;
};

// TinyLlama's shapes: 2048 wide, 5632 in the middle, 32000 tokens, 32 heads over 4; decode of one row and
// prefill of many.
[[nodiscard]] std::vector<BenchCase> bench_cases();

struct BenchOptions {
  unsigned repetitions = 9;    // the median counts
  double at_most_seconds = 2;  // for one case; at least three repetitions
};

struct BenchResult {
  std::string name;
  std::string skipped = {};  // why the device cannot run it
  double seconds = 0;        // of one op, median
  double bytes = 0;          // of one op, as the kernels count
  double flops = 0;
  [[nodiscard]] double bytes_per_second() const noexcept { return seconds > 0 ? bytes / seconds : 0; }
  [[nodiscard]] double flops_per_second() const noexcept { return seconds > 0 ? flops / seconds : 0; }
};

[[nodiscard]] BenchResult bench(Device& device, const BenchCase& bench_case,
                                const BenchOptions& options = {});

}  // namespace linnet
