// The product of a stage: x and the sums of each warp in shared memory, weights from the ring. Four teams of
// four warps take slots in turn.
#pragma once

#include "backends/cuda/kernels/matrix_units.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// 8 bytes of shared memory for some lanes of the warp; the others keep what they have.
__device__ __forceinline__ void load_for(bool mine, uint2& into, const std::byte* from) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %3, 0;\n@p ld.shared.v2.u32 {%0, %1}, [%2];\n}"
               : "+r"(into.x), "+r"(into.y)
               : "r"(shared_address(from)), "r"(static_cast<uint32_t>(mine)));
}

// What a warp has of the eight rows of a unit. Weights are the left factor, whose 16 rows are those eight
// with some columns and again with others; of the right factor's columns each meets one of these two. x stays
// in registers as long as the piece is the same.
template <bool kCodes>
class UnitSums;

// Lane (g, c) has 16 bytes of row g: four numbers for the upper half and four for the lower one. Column 0 of
// the right factor is x for the former, column 1 for the latter; nobody looks at the others.
template <>
class UnitSums<false> {
 public:
  static constexpr uint32_t kTimes = 1;  // a warp's columns of a piece are taken in so many parts

  // Where the lane's weights of a slot begin, and its numbers of x.
  __device__ __forceinline__ UnitSums(const std::byte* work, uint32_t) {
    const uint32_t g = threadIdx.x % 32 / 4;
    const uint32_t begin = team_member() * (2 * kWarpColumns<false>)+threadIdx.x % 4 * 16;
    w_ = g * row_stride(false) + begin;
    x_at_ = work + begin + g % 2 * 8;
  }

  template <uint32_t kCount>
  __device__ __forceinline__ void add(const std::byte* slot, uint32_t piece) {
    if (piece != piece_) {
      piece_ = piece;
      const std::byte* x = x_at_ + piece * (2 * kPieceColumns<false>);
#pragma unroll
      for (uint32_t i = 0; i < 8; ++i) x_[i] = *reinterpret_cast<const uint2*>(x + 64 * i);
    }
    const std::byte* w = slot + w_;
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) {
      const uint4 a = *reinterpret_cast<const uint4*>(w + 64 * i);
      const uint32_t both[4] = {a.x, a.z, a.y, a.w};
      multiply_add<__nv_bfloat16>(sums_[i % 2], both, x_[i].x, x_[i].y);
    }
  }
  // Of row g in lanes (g, 0); the next unit begins with nothing.
  __device__ __forceinline__ float take() {
    const float sum = (sums_[0][0] + sums_[1][0]) + (sums_[0][3] + sums_[1][3]);
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) sums_[i / 4][i % 4] = 0;
    return sum;
  }

 private:
  uint32_t piece_ = ~0u;
  uint32_t w_;
  const std::byte* x_at_;
  uint2 x_[8] = {};
  float sums_[2][4] = {};
};

// Blocks are taken by four. The first two are the halves of one product's left factor, the others of a second
// one's. The right factor's columns are, in turn, first and second digits of the four blocks, and zeros where
// it is the other product's turn: so both add up to results of each block by itself, in whole numbers, of
// row g and block c in lane (g, c).
template <>
class UnitSums<true> {
 public:
  static constexpr uint32_t kTimes = 2;

  __device__ __forceinline__ UnitSums(const std::byte* work, uint32_t longest_k) {
    const uint32_t g = threadIdx.x % 32 / 4;
    const uint32_t c = threadIdx.x % 4;
    const uint32_t begin = team_member() * kWarpColumns<true>;
    w_ = g * row_stride(true) + begin + c * 8;
    scales_ = scales_at() + g * kScaleStride + begin / 16 + c * 2;
    x_at_ = work + 2 * begin + g / 2 * 64 + c * 16 + g % 2 * 8;
    x_scales_ = reinterpret_cast<const float*>(work + 2 * longest_k) + begin / 32 + c;
  }

  // The first `kCount` of two halves of the warp's columns.
  template <uint32_t kCount>
  __device__ __forceinline__ void add(const std::byte* slot, uint32_t piece) {
    constexpr uint32_t kFours = kCount * kWarpColumns<true> / kTimes / 128;
    if (piece != piece_) load_x<kFours>(piece);
    const std::byte* w = slot + w_;
    const std::byte* scales = slot + scales_;
#pragma unroll
    for (uint32_t q = 0; q < kFours; ++q) {
      int sums[4] = {};
#pragma unroll
      for (uint32_t i = 0; i < 2; ++i) {
        const uint2 upper = *reinterpret_cast<const uint2*>(w + 128 * q + 64 * i);
        const uint2 lower = *reinterpret_cast<const uint2*>(w + 128 * q + 64 * i + 32);
        multiply_bytes(sums, make_uint4(upper.x, lower.x, upper.y, lower.y), x_[q][i]);
      }
      const bool is_lower = threadIdx.x % 2 != 0;
      const int high = is_lower ? sums[2] : sums[0];
      const int low = is_lower ? sums[3] : sums[1];
      const float scale = __half2float(*reinterpret_cast<const __half*>(scales + 8 * q));
      sum_ += static_cast<float>(256 * high + low) * (x_scale_[q] * scale);
    }
  }
  __device__ __forceinline__ float take() {
    float sum = sum_;
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    sum_ = 0;
    return sum;
  }

 private:
  template <uint32_t kFours>
  __device__ __forceinline__ void load_x(uint32_t piece) {
    piece_ = piece;
    const std::byte* x = x_at_ + piece * (2 * kPieceColumns<true>);
#pragma unroll
    for (uint32_t q = 0; q < kFours; ++q) {
      load_for(threadIdx.x % 32 < 16, x_[q][0], x + 256 * q);
      load_for(threadIdx.x % 32 >= 16, x_[q][1], x + 256 * q);
      x_scale_[q] = x_scales_[piece * (kPieceColumns<true> / 32) + 4 * q];
    }
  }

  uint32_t piece_ = ~0u;
  uint32_t w_;
  uint32_t scales_;
  const std::byte* x_at_;
  const float* x_scales_;
  uint2 x_[4][2] = {};
  float x_scale_[4] = {};
  float sum_ = 0;
};

// What a warp multiplies of a stage: every fourth slot, its columns of them. All that can be known before x
// is there is found before.
template <bool kCodes>
class ShareProduct {
 public:
  __device__ __forceinline__ ShareProduct(uint32_t k, uint32_t units, const WalkArgs& args,
                                          const RingPlace& place, const std::byte* work, float* sums)
      : pieces_(pieces_of<kCodes>(k)),
        all_(units * pieces_),
        slots_(args.slots),
        place_(place),
        sums_of_unit_(work, args.longest_k) {
    const uint32_t warp = threadIdx.x / 32;
    const uint32_t lane = threadIdx.x % 32;
    whole_ = kTeams / pieces_;
    rest_ = kTeams - whole_ * pieces_;
    const uint32_t unit = place.order / pieces_;
    piece_ = place.order - unit * pieces_;
    sums_ = sums + unit * kUnitSums + warp / 4 * (4 * kUnitRows) + lane / 4 * 4 + warp % 4;
    const uint32_t begin = (pieces_ - 1) * kPieceColumns<kCodes> + team_member() * kWarpColumns<kCodes>;
    last_times_ = begin >= k ? 0 : min(kTimes, (k - begin + kColumns - 1) / kColumns);
  }

  // The team that has the stage's first slot.
  [[nodiscard]] __device__ __forceinline__ uint32_t first_team() const {
    return threadIdx.x / 32 / kTeamWarps - place_.order;
  }

  __device__ __forceinline__ void multiply(WalkShared& shared) {
    const uint32_t lane = threadIdx.x % 32;
    const std::byte* slot = walk_ring() + place_.slot * slot_bytes(kCodes);
#pragma unroll 1
    for (uint32_t i = place_.order; i < all_; i += kTeams) {
      wait(&shared.full[place_.slot], place_.phase);
      const uint32_t times = piece_ + 1 == pieces_ ? last_times_ : kTimes;
      if (times == kTimes) {
        sums_of_unit_.template add<kTimes>(slot, piece_);
      } else if (times != 0) {
        sums_of_unit_.template add<1>(slot, piece_);
      }
      arrive_as_warp(&shared.empty[place_.slot]);
      place_.slot += kTeams;
      slot += kTeams * slot_bytes(kCodes);
      if (place_.slot >= slots_) {
        place_.slot -= slots_;
        place_.phase ^= 1;
        slot -= slots_ * slot_bytes(kCodes);
      }
      piece_ += rest_;
      const bool wrapped = piece_ >= pieces_;
      if (wrapped || whole_ != 0) {  // the team has no more of this unit
        const float sum = sums_of_unit_.take();
        if (lane % 4 == 0) *sums_ = sum;
        sums_ += (wrapped ? whole_ + 1 : whole_) * kUnitSums;
        if (wrapped) piece_ -= pieces_;
      }
    }
    place_.order = (place_.order - all_) % kTeams;
  }

  [[nodiscard]] __device__ __forceinline__ const RingPlace& place() const {
    return place_;
  }

 private:
  static constexpr uint32_t kTimes = UnitSums<kCodes>::kTimes;
  static constexpr uint32_t kColumns = kWarpColumns<kCodes> / kTimes;  // that are taken together
  static constexpr uint32_t kUnitSums = kWalkWarps * kUnitRows;

  uint32_t pieces_;
  uint32_t all_;
  uint32_t slots_;
  RingPlace place_;
  uint32_t piece_;       // of its unit, the next of this team
  uint32_t whole_;       // from one slot of the team to its next: units,
  uint32_t rest_;        // and pieces
  uint32_t last_times_;  // of the last piece, which may be shorter
  float* sums_;
  UnitSums<kCodes> sums_of_unit_;
};

}  // namespace linnet::cuda
