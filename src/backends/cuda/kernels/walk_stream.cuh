// The threads of the walk that stream weights into the ring.
#pragma once

#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// One thread of each warp that streams: this block's rows of all stages, one slot after another, each warp
// some rows of every slot. Nothing goes from one warp to another: what is asked for next is found while the
// slots before are on their way.
template <bool kCodes>
class Streamer {
 public:
  __device__ Streamer(const WalkArgs& args, std::byte* ring, WalkShared& shared)
      : args_(args), ring_(ring), shared_(shared), policy_(read_once_policy()) {}

  __device__ __forceinline__ void run() {
    WalkWeights next = args_.stages[0];
#pragma unroll 1
    for (stage_ = 0; stage_ < args_.count; ++stage_) {
      const WalkWeights now = next;
      next = args_.stages[min(stage_ + 1, args_.count - 1)];  // is on its way meanwhile
      stream(now);                                            // attention has none
    }
  }

 private:
  static constexpr uint32_t kUnit = unit_rows(kCodes);
  static constexpr uint32_t kRows = kUnit / kStreamWarps;  // of a slot
  static constexpr uint32_t kPiece = piece_bytes(kCodes);
  static_assert(kRows >= 1 && kStreamWarps == 4);

  __device__ __forceinline__ void stream(const WalkWeights& weights) {
    const uint32_t row_bytes = kCodes ? weights.k : 2 * weights.k;
    const uint32_t first = (threadIdx.x / 32 - kWalkWarps) * kRows;
    const Share share = share_of(weights);
#pragma unroll 1
    for (uint32_t unit = share.first; unit < share.end; ++unit) {
      const UnitRows rows = rows_of_unit(kUnit, weights.shift, weights.half, weights.paired, unit);
      uint64_t from[kRows];
#pragma unroll
      for (uint32_t r = 0; r < kRows; ++r) {
        const uint32_t row = first + r;
        // The last unit may have fewer rows: it takes the last one again.
        from[r] =
            uint64_t{min(row < kUnit / 2 ? rows.low + row : rows.high + row - kUnit / 2, weights.n - 1)} *
            row_bytes;
      }
#pragma unroll 1
      for (uint32_t at = 0; at < row_bytes; at += kPiece) {
        copy(weights, from, first, min(kPiece, row_bytes - at));
#pragma unroll
        for (uint32_t r = 0; r < kRows; ++r) from[r] += kPiece;
      }
    }
  }

  __device__ __forceinline__ void copy(const WalkWeights& weights, const uint64_t (&from)[kRows],
                                       uint32_t first, uint32_t bytes) {
    const uint32_t scale_bytes = kCodes ? bytes / 16 : 0;
    uint64_t* const full = &shared_.full[slot_];
    std::byte* const slot = ring_ + slot_ * slot_bytes(kCodes);
    wait(&shared_.empty[slot_], phase_ ^ 1);
    hold_back();
    expect_bytes(full, kRows * (bytes + scale_bytes));
#pragma unroll
    for (uint32_t r = 0; r < kRows; ++r) {
      copy_to_shared(slot + (first + r) * row_stride(kCodes), weights.weight + from[r], bytes, full, policy_);
      if (kCodes)
        copy_to_shared(slot + scales_at() + (first + r) * kScaleStride, weights.scales + from[r] / 16,
                       scale_bytes, full, policy_);
    }
    if (++slot_ == args_.slots) {
      slot_ = 0;
      phase_ ^= 1;
    }
  }

  // Until the slot that lies so far back has arrived, so that no more than that are on their way: quarters
  // that make no whole slot are the first warps'. This warp has its share in that slot: the parity of its
  // barrier is certain.
  __device__ __forceinline__ void hold_back() const {
    while (true) {
      const uint32_t multiplied = shared_.multiplied;
      const uint32_t quarters = multiplied == kNoStage ? args_.pace.waiting
                                : multiplied == stage_ ? args_.pace.busy
                                                       : args_.pace.next;
      const uint32_t ahead = (quarters + (kWalkWarps + 3 - threadIdx.x / 32)) / 4;
      const bool before = slot_ < ahead;  // that slot is of the round before, or of none: then it has passed
      if (passed(&shared_.full[before ? slot_ + args_.slots - ahead : slot_ - ahead],
                 before ? phase_ ^ 1 : phase_))
        return;
    }
  }

  const WalkArgs& args_;
  std::byte* ring_;
  WalkShared& shared_;
  uint64_t policy_;
  uint32_t stage_ = 0;
  uint32_t slot_ = 0;
  uint32_t phase_ = 0;
};

}  // namespace linnet::cuda
