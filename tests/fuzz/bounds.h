// Counts what one run of a fuzz target costs: processor time and bytes allocated. A run over the bounds ends
// the program, as a wrong result does; the same with a sanitizer as without.
#pragma once

#include <cstddef>

#include "check.h"

namespace linnet::fuzz {

inline constexpr double kMostSeconds = 0.1;
inline constexpr size_t kMostBytes = size_t{64} << 20;

// Since it was made, on this thread.
class Cost {
 public:
  Cost() noexcept;
  [[nodiscard]] double seconds() const noexcept;  // of the processor
  [[nodiscard]] size_t bytes() const noexcept;    // that operator new gave out (bounds.cpp replaces it)

 private:
  double begin_;
  size_t allocated_;
};

// A sanitizer tidies up its memory now and then, in the middle of whatever runs: what took too long is run
// again, and has to take too long three times.
template <class Run>
void within_bounds(const Run& run) {
  for (int attempt = 1;; ++attempt) {
    const Cost cost;
    run();
    FUZZ_CHECK(cost.bytes() <= kMostBytes);
    if (cost.seconds() <= kMostSeconds) return;
    FUZZ_CHECK(attempt < 3);
  }
}

// The same for the rest of a scope, which cannot be run again.
class Bounds {
 public:
  Bounds() = default;
  ~Bounds() {
    FUZZ_CHECK(cost_.bytes() <= kMostBytes);
    FUZZ_CHECK(cost_.seconds() <= kMostSeconds);
  }
  Bounds(const Bounds&) = delete;
  Bounds& operator=(const Bounds&) = delete;

 private:
  Cost cost_;
};

}  // namespace linnet::fuzz
