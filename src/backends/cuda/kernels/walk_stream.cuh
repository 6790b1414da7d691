// The threads of the walk that stream weights into the ring.
#pragma once

#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// One thread of each warp that streams: this block's rows of all stages, one after another, each warp every
// fourth slot. Waiting for barriers is slow: one warp alone would not keep up.
template <bool kCodes>
class Streamer {
 public:
  __device__ Streamer(const WalkArgs& args, std::byte* ring, WalkShared& shared)
      : args_(args),
        ring_(ring),
        shared_(shared),
        policy_(read_once_policy()),
        slot_(threadIdx.x / 32 - kWalkWarps),
        next_(slot_),
        sequence_(slot_) {}

  __device__ __forceinline__ void run() {
    Weights now = weights_of(0);
    for (uint32_t i = 0; i < args_.count; ++i) {
      const Weights next = weights_of(min(i + 1, args_.count - 1));  // is on its way meanwhile
      stage_ = i;
      stream(now);  // attention has none
      now = next;
    }
  }

 private:
  // What is needed of a stage.
  struct Weights {
    const std::byte* codes;
    const std::byte* scales;
    uint32_t n;
    uint32_t k;
    uint32_t shift;
    uint32_t half;
    uint32_t paired;
    Share share;
  };
  __device__ __forceinline__ Weights weights_of(uint32_t i) const {
    const WalkStage& stage = args_.stages[i];
    return {stage.weight, stage.scales, stage.n,      stage.k,
            stage.shift,  stage.half,   stage.paired, share_of(stage)};
  }

  // Pieces of this stage are numbered through: next_ is this warp's next one.
  __device__ __forceinline__ void stream(const Weights& weights) {
    const uint32_t row_bytes = kCodes ? weights.k : 2 * weights.k;
    const uint32_t pieces = (row_bytes + kPieceBytes - 1) / kPieceBytes;
    const uint32_t all = (weights.share.end - weights.share.first) * pieces;
    uint32_t unit = weights.share.first;
    uint32_t piece = next_;
#pragma unroll 1
    for (; next_ < all; next_ += kStreamWarps, piece += kStreamWarps) {
      while (piece >= pieces) {
        piece -= pieces;
        ++unit;
      }
      copy(rows_of_unit(weights.shift, weights.half, weights.paired, unit), weights, row_bytes,
           piece * kPieceBytes);
    }
    next_ -= all;
  }

  __device__ __forceinline__ void copy(const UnitRows& rows, const Weights& weights, uint32_t row_bytes,
                                       uint32_t at) {
    const uint32_t bytes = min(kPieceBytes, row_bytes - at);
    const uint32_t scale_bytes = kCodes ? bytes / 16 : 0;
    uint64_t* const full = &shared_.full[slot_];
    std::byte* const slot = ring_ + slot_ * slot_bytes(kCodes);
    wait(&shared_.empty[slot_], phase_ ^ 1);
    hold_back();
    arrive(&shared_.turn[(sequence_ + 1) % kStreamWarps]);
    expect_bytes(full, kUnitRows * (bytes + scale_bytes));
#pragma unroll
    for (uint32_t r = 0; r < kUnitRows; ++r) {
      // The last unit may have fewer rows: it takes the last one again.
      const uint64_t row = min(r < 4 ? rows.low + r : rows.high + r - 4, weights.n - 1);
      copy_to_shared(slot + r * row_stride(kCodes), weights.codes + row * row_bytes + at, bytes, full,
                     policy_);
      if (kCodes)
        copy_to_shared(slot + scales_at() + r * kScaleStride, weights.scales + (row * row_bytes + at) / 16,
                       scale_bytes, full, policy_);
    }
    sequence_ += kStreamWarps;
    slot_ += kStreamWarps;
    if (slot_ >= args_.slots) {
      slot_ -= args_.slots;
      phase_ ^= 1;
    }
  }

  // In the order of the slots, and until the one that lies so far back has arrived, so that no more than that
  // are on their way. Only the order makes the parity of that slot's barrier certain.
  __device__ __forceinline__ void hold_back() {
    if (sequence_ != 0) {
      wait(&shared_.turn[sequence_ % kStreamWarps], turn_);
      turn_ ^= 1;
    }
    while (true) {
      const uint32_t multiplied = shared_.multiplied;
      const uint32_t ahead = multiplied == kNoStage ? args_.pace.waiting
                             : multiplied == stage_ ? args_.pace.busy
                                                    : args_.pace.next;
      if (sequence_ < ahead) return;
      const bool before = slot_ < ahead;  // the slot back there is of the round before
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
  uint32_t slot_;
  uint32_t phase_ = 0;
  uint32_t next_;
  uint32_t sequence_;  // number of that piece among all of the run
  uint32_t turn_ = 0;  // parity of this warp's next turn
};

}  // namespace linnet::cuda
