// What the kernels count for the receipt, and the one failure that they may report. Both are written by the
// GPU: the counters lie in its memory, the failure in the host's, where it costs nothing to look.
#pragma once

#include <cstdint>

namespace linnet::cuda {

// One line of the receipt. `nanoseconds` is a sum of differences of the GPU's clock: a kernel adds the time
// at which it began to the line of the kernel before it and takes it from its own, modulo 2^64.
struct LineCounters {
  unsigned long long nanoseconds;
  unsigned long long count;
  unsigned long long bytes;
};

inline constexpr uint32_t kMaxLines = 64;
inline constexpr uint32_t kNoLine = kMaxLines;  // before the first kernel of a run

// Handed to every kernel: which lines the time before and after its beginning belong to.
struct Stamp {
  LineCounters* lines = nullptr;
  uint32_t before = kNoLine;
  uint32_t here = kNoLine;
  unsigned long long bytes = 0;  // read and written, as far as the host can know
  bool closes = false;           // this kernel is the last of the run: it ends its own time
};

enum class FailedCheck : uint32_t { none, ids, slots, positions, page_table, row_starts, sequence_slots };

struct KernelFailure {
  uint32_t check;  // FailedCheck
  uint32_t line;   // of the receipt: the op
  int32_t got;
  uint32_t limit;
};

}  // namespace linnet::cuda
