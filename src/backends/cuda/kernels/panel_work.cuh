// What a block of a panel has to do, and what lies where in its shared memory.
#pragma once

#include "backends/cuda/kernels/panel.h"

namespace linnet::cuda {

inline constexpr uint32_t kPanelGroups = 2;  // of four warps that multiply, each 64 rows of the weight
inline constexpr uint32_t kPanelMultiply = 128 * kPanelGroups;
// One warp more asks for what they multiply, and one finds what the end needs.
inline constexpr uint32_t kPanelThreads = kPanelMultiply + 64;
inline constexpr uint32_t kPanelTileRows = 64;
inline constexpr uint32_t kMostPanelUnits = kPanelGroups * kPanelTileRows / kPanelUnit;  // of a block
inline constexpr uint32_t kPanelSums = kPanelTileRows * kMaxPanelRows / 128;             // of a thread
inline constexpr uint32_t kPanelRowBytes = kPanelColumns * 2;
inline constexpr uint32_t kPanelBoxBytes = kPanelBox * kPanelRowBytes;
inline constexpr uint32_t kPanelTileBytes = kPanelTileRows * kPanelRowBytes;
inline constexpr uint32_t kMostPanelSlots = 12;
inline constexpr uint32_t kMostPanelSplit = 8;  // blocks of a cluster, on any such GPU

// How much of something each of several has; the first have one more.
struct Portions {
  uint32_t each;
  uint32_t with_one_more;
  Portions(uint32_t all, uint32_t of) : each(all / of), with_one_more(all % of) {}
  [[nodiscard]] uint32_t most() const { return each + (with_one_more > 0 ? 1 : 0); }
  [[nodiscard]] __device__ __forceinline__ uint32_t first(uint32_t i) const {
    return i * each + min(i, with_one_more);
  }
  [[nodiscard]] __device__ __forceinline__ uint32_t count(uint32_t i) const {
    return each + (i < with_one_more ? 1 : 0);
  }
};

// Rows of the weight come as BF16, or as codes of Q8_0, a byte each.
[[nodiscard]] constexpr uint32_t panel_row_bytes(bool codes) {
  return codes ? kPanelColumns : kPanelRowBytes;
}

// How the work is shared, and what lies where in shared memory: found by the host, for a division takes long.
struct PanelPlan {
  Portions units;  // of the clusters
  Portions steps;  // of kPanelColumns columns, of the blocks of a cluster
  uint32_t split_bits;
  uint32_t rows;  // of x, that a block of a cluster ends
  // Sums of a block lie as [row of x][row of the weight]. A row is longer than it is by four floats, so that
  // lanes write to different banks.
  uint32_t sums_stride;  // floats
  uint32_t slots;
  uint32_t slot_bytes;  // rows of x, then those of the weight
  uint32_t tiles_at;    // of weights that are unpacked: one for each group
  uint32_t sums_at;     // where those of the cluster's blocks come in
  uint32_t shared_at;

  explicit PanelPlan(const PanelArgs& args);

  [[nodiscard]] __host__ __device__ __forceinline__ uint32_t split() const { return 1u << split_bits; }
  // Of the sums that a block sends to another.
  [[nodiscard]] __host__ __device__ __forceinline__ uint32_t sums_bytes() const {
    return rows * sums_stride * static_cast<uint32_t>(sizeof(float));
  }
};

// Everything of a block in shared memory but the ring and the sums that come in. It lies behind them: tiles
// begin at multiples of 1024 bytes.
struct PanelShared {
  uint64_t full[kMostPanelSlots];
  uint64_t empty[kMostPanelSlots];
  uint64_t summed;
  uint64_t prepared;
  uint64_t places[kMaxPanelRows];       // of keys and values
  float scales[kMaxPanelRows];          // of the norm
  uint32_t boxes[2 * kMostPanelUnits];  // first row of each
  // Brought near at once: arguments would be waited for one after another.
  StageArgs stage;
  PanelNorm norm;
};

// What a block has to do.
struct PanelWork {
  uint32_t cluster;
  uint32_t rank;  // in its cluster
  uint32_t first_unit, units;
  uint32_t first_step, steps;
  uint32_t turn;  // the step it begins with: clusters shall not all ask for the same x at once

  __device__ __forceinline__ explicit PanelWork(const PanelPlan& plan) {
    rank = blockIdx.x % plan.split();
    cluster = blockIdx.x >> plan.split_bits;
    first_unit = plan.units.first(cluster);
    units = plan.units.count(cluster);
    first_step = plan.steps.first(rank);
    steps = plan.steps.count(rank);
    turn = cluster % steps;
  }
  // Of its columns, the first of a step.
  [[nodiscard]] __device__ __forceinline__ uint32_t column(uint32_t step) const {
    step += turn;
    return (first_step + (step < steps ? step : step - steps)) * kPanelColumns;
  }
};

// The rows of x that a block ends.
struct PanelRows {
  uint32_t first, count;
  __device__ __forceinline__ PanelRows(const StageArgs& stage, const PanelPlan& plan, const PanelWork& work)
      : first(work.rank * plan.rows), count(first < stage.rows ? min(plan.rows, stage.rows - first) : 0) {}
};

}  // namespace linnet::cuda
