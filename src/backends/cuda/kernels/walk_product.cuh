// The product of a stage: x and the sums of each warp in shared memory, weights from the ring. Four teams of
// four warps take slots in turn.
#pragma once

#include "backends/cuda/kernels/matrix_units.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// What a warp has of the rows of a unit. Weights are the left factor, whose 16 rows are those of the unit
// with some columns and again with others; of the right factor's columns each meets one of these. x stays in
// registers as long as the piece is the same.
template <bool kCodes>
class UnitSums;

// Lane (g, c) has 16 bytes of row g mod 4, of the warp's first columns or, from g = 4 on, of its others: two
// numbers for the upper half of the left factor, two for the lower one, and so again. Column 0 of the right
// factor is x for the upper rows 0 to 3, column 1 for the lower ones, 2 and 3 for the other columns' rows;
// nobody looks at the rest.
template <>
class UnitSums<false> {
 public:
  // Where the lane's weights of a slot begin, and its numbers of x.
  __device__ __forceinline__ UnitSums(uint32_t work, uint32_t) {
    const uint32_t g = threadIdx.x % 32 / 4;
    const uint32_t begin = team_member() * (2 * kWarpColumns<false>)+threadIdx.x % 4 * 16;
    w_ = g % 4 * row_stride(false) + g / 4 * (2 * kHalf) + begin;
    x_at_ = work + begin + g / 2 % 2 * (2 * kHalf) + g % 2 * 8;
  }

  // What the warp has of a slot, into registers.
  __device__ __forceinline__ void load(const std::byte* slot) {
    const std::byte* w = slot + w_;
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) weights_[i] = *reinterpret_cast<const uint4*>(w + 64 * i);
  }
  // Where x of a piece lies, as far as there is any: found before x is there. What lies behind the end is
  // written meanwhile, and nobody reads it.
  __device__ __forceinline__ void aim_at(uint32_t piece, uint32_t columns) {
    piece_ = piece;
    const bool here = threadIdx.x % 32 / 8 % 2 * kHalf < columns;
    aim_ = here ? x_at_ + piece * (2 * kPieceColumns<false>) : offset_of_no_x();
    settle(aim_);
  }
  // That x, into registers, before something of the piece is added.
  __device__ __forceinline__ void load_x() {
    const std::byte* const x = at_offset(aim_);
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) x_[i] = *reinterpret_cast<const uint2*>(x + 64 * i);
  }
  // Adds the products of what was loaded, of the piece's first columns of this warp that there are: all, or
  // some multiple of 256.
  __device__ __forceinline__ void add(uint32_t piece, uint32_t columns) {
    if (columns == 0) return;
    if (piece != piece_) {
      aim_at(piece, columns);
      load_x();
    }
    if (columns <= kHalf) leave_out_others();
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) {
      const uint4& a = weights_[i];
      const uint32_t all[4] = {a.x, a.y, a.z, a.w};
      multiply_add<__nv_bfloat16>(sums_[i % 2], all, x_[i].x, x_[i].y);
    }
  }
  // Where this lane's sum belongs among those of the team; some lanes have none.
  [[nodiscard]] __device__ __forceinline__ static bool has_sum() {
    return threadIdx.x % 4 == threadIdx.x % 32 / 16;
  }
  [[nodiscard]] __device__ __forceinline__ static uint32_t place() {
    const uint32_t g = threadIdx.x % 32 / 4;
    return g % 4 * (2 * kTeamWarps) + 2 * team_member() + g / 4;
  }
  __device__ __forceinline__ void settle_zeros() {
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) {
      settle(sums_[i / 4][i % 4]);
    }
  }
  // The next unit begins with nothing.
  __device__ __forceinline__ float take() {
    const float sum = (sums_[0][0] + sums_[1][0]) + (sums_[0][3] + sums_[1][3]);
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) sums_[i / 4][i % 4] = 0;
    return sum;
  }

 private:
  static constexpr uint32_t kHalf = kWarpColumns<false> / 2;

  // What lies behind the end is neither x nor weights.
  __device__ __forceinline__ void leave_out_others() {
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) {
      if (threadIdx.x % 32 / 16 != 0) weights_[i] = {};
      if (threadIdx.x % 32 / 8 % 2 != 0) x_[i] = {};
    }
  }

  uint32_t piece_ = ~0u;
  uint32_t w_;
  uint32_t x_at_;
  uint32_t aim_;
  uint2 x_[8];
  uint4 weights_[8] = {};
  float sums_[2][4] = {};
};

// A warp's 16 blocks of a row are taken in four rounds, of each four neighbours one a round. The first two of
// a round are the halves of one product's left factor, the others of a second one's. The right factor's
// columns are, in turn, first and second digits of the four blocks: of each product half the columns meet
// their own blocks, in whole numbers, and lane (g, c) takes row g and block c of the round.
template <>
class UnitSums<true> {
 public:
  __device__ __forceinline__ UnitSums(uint32_t work, uint32_t k) {
    const uint32_t g = threadIdx.x % 32 / 4;
    const uint32_t c = threadIdx.x % 4;
    const uint32_t begin = team_member() * kWarpColumns<true>;
    w_ = g * row_stride(true) + begin + c * 8;
    scales_ = scales_at() + g * kScaleStride + begin / 16 + c * 8;
    x_at_ = work + 2 * begin + g / 2 * (2 * kApart) + c * 16 + g % 2 * 8;
    x_scales_ = work + 2 * k + begin / 8 + c * 16;
  }

  __device__ __forceinline__ void load(const std::byte* slot) {
#pragma unroll
    for (uint32_t i = 0; i < 4 * kRounds; ++i)
      weights_[i] = *reinterpret_cast<const uint2*>(slot + w_ + 32 * i);
    scale_ = *reinterpret_cast<const uint2*>(slot + scales_);
  }
  __device__ __forceinline__ void aim_at(uint32_t piece, uint32_t columns) {
    piece_ = piece;
    const bool here = threadIdx.x % 32 / 8 * kApart < columns;
    aim_ = here ? x_at_ + piece * (2 * kPieceColumns<true>) : offset_of_no_x();
    aim_at_scale_ =
        threadIdx.x % 4 * kApart < columns ? x_scales_ + piece * (kPieceColumns<true> / 8) : offset_of_no_x();
    settle(aim_);
    settle(aim_at_scale_);
  }
  __device__ __forceinline__ void load_x() {
    const std::byte* const x = at_offset(aim_);
#pragma unroll
    for (uint32_t q = 0; q < kRounds; ++q) x_[q] = *reinterpret_cast<const uint2*>(x + 64 * q);
    x_scale_ = *reinterpret_cast<const float4*>(at_offset(aim_at_scale_));
  }
  __device__ __forceinline__ void add(uint32_t piece, uint32_t columns) {
    const uint32_t c = threadIdx.x % 4;
    if (piece != piece_) {
      aim_at(piece, columns);
      load_x();
    }
    const __half2 scales[2] = {*reinterpret_cast<const __half2*>(&scale_.x),
                               *reinterpret_cast<const __half2*>(&scale_.y)};
    const float2 low_scales = __half22float2(scales[0]);
    const float2 high_scales = __half22float2(scales[1]);
    const float scale[kRounds] = {low_scales.x, low_scales.y, high_scales.x, high_scales.y};
    const float x_scale[kRounds] = {x_scale_.x, x_scale_.y, x_scale_.z, x_scale_.w};
    float sum = 0;
#pragma unroll
    for (uint32_t q = 0; q < kRounds; ++q) {
      int sums[2][4] = {};
#pragma unroll
      for (uint32_t i = 0; i < 2; ++i) {
        const uint2& upper = weights_[8 * i + q];
        const uint2& lower = weights_[8 * i + 4 + q];
        multiply_bytes(sums[i], make_uint4(upper.x, lower.x, upper.y, lower.y), x_[q]);
      }
      const int first[2] = {c % 2 != 0 ? sums[0][2] : sums[0][0], c % 2 != 0 ? sums[0][3] : sums[0][1]};
      const int second[2] = {c % 2 != 0 ? sums[1][2] : sums[1][0], c % 2 != 0 ? sums[1][3] : sums[1][1]};
      const int high = c >= 2 ? second[0] : first[0];
      const int low = c >= 2 ? second[1] : first[1];
      sum += static_cast<float>(256 * high + low) * (x_scale[q] * scale[q]);
    }
    if (c * kApart < columns) sum_ += sum;
  }
  [[nodiscard]] __device__ __forceinline__ static bool has_sum() {
    return threadIdx.x % 4 == 0;
  }
  [[nodiscard]] __device__ __forceinline__ static uint32_t place() {
    return threadIdx.x % 32 / 4 * kTeamWarps + team_member();
  }
  __device__ __forceinline__ void settle_zeros() {
    settle(sum_);
  }
  __device__ __forceinline__ float take() {
    float sum = sum_;
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    sum_ = 0;
    return sum;
  }

 private:
  static constexpr uint32_t kRounds = 4;
  static constexpr uint32_t kApart = kWarpColumns<true> / 4;  // columns, from block to block of a round
  static_assert(kApart == 32 * kRounds);

  uint32_t piece_ = ~0u;
  uint32_t w_;
  uint32_t scales_;
  uint32_t x_at_;
  uint32_t x_scales_;
  uint32_t aim_;
  uint32_t aim_at_scale_;
  uint2 x_[kRounds];
  float4 x_scale_;
  uint2 weights_[4 * kRounds] = {};
  uint2 scale_ = {};
  float sum_ = 0;
};

// Of a number of pieces, in sixteenths: with it numbers up to four are divided without a division.
[[nodiscard]] __device__ __forceinline__ uint32_t inverse_of_pieces(uint32_t pieces) {
  static_assert(kTeams == 4);
  constexpr uint32_t kInverses = 16 << 5 | 8 << 10 | 6 << 15 | 4 << 20;
  return pieces > kTeams ? 0 : kInverses >> 5 * pieces & 31;
}

// What a warp multiplies of a stage: every fourth slot, its columns of them. All that can be known before x
// is there is found before.
template <bool kCodes>
class ShareProduct {
 public:
  __device__ __forceinline__ ShareProduct(uint32_t k, uint32_t units, const WalkArgs& args,
                                          const RingPlace& place, uint32_t work, float* sums)
      : pieces_(pieces_of<kCodes>(k)),
        all_(units * pieces_),
        slots_(args.slots),
        place_(place),
        sums_of_unit_(work, k) {
    const uint32_t inverse = inverse_of_pieces(pieces_);
    whole_ = kTeams * inverse / 16;
    rest_ = kTeams - whole_ * pieces_;
    const uint32_t unit = place.order * inverse / 16;
    piece_ = first_ = place.order - unit * pieces_;
    sums_ = sums + unit * unit_sums(pieces_) + UnitSums<kCodes>::place();
    const uint32_t begin = (pieces_ - 1) * kPieceColumns<kCodes> + team_member() * kWarpColumns<kCodes>;
    last_columns_ = begin >= k ? 0 : min(kWarpColumns<kCodes>, k - begin);
  }

  // The first slot's weights go into registers before x is there, if they have come: that makes room in the
  // ring for as many more.
  __device__ __forceinline__ void load_early(WalkShared& shared) {
    sums_of_unit_.settle_zeros();
    sums_of_unit_.aim_at(piece_, columns_of(piece_));
    loaded_ = __all_sync(~0u, place_.order < all_ && passed(&shared.full[place_.slot], place_.phase));
    if (loaded_) load(shared);
  }

  __device__ __forceinline__ void multiply(WalkShared& shared) {
    if (place_.order < all_) sums_of_unit_.load_x();
#pragma unroll 1
    for (; place_.order < all_; place_.order += kTeams) {
      if (!loaded_) {
        wait(&shared.full[place_.slot], place_.phase);
        load(shared);
      }
      loaded_ = false;
      sums_of_unit_.add(piece_, columns_of(piece_));
      place_.slot += kTeams;
      if (place_.slot >= slots_) {
        place_.slot -= slots_;
        place_.phase ^= 1;
      }
      piece_ += rest_;
      const bool wrapped = piece_ >= pieces_;
      if (wrapped || whole_ != 0) {  // the team has no more of this unit
        const float sum = sums_of_unit_.take();
        if (sums_of_unit_.has_sum()) sums_[first_ * kTeamSums] = sum;
        sums_ += (wrapped ? whole_ + 1 : whole_) * unit_sums(pieces_);
        if (wrapped) piece_ -= pieces_;
        first_ = piece_;
      }
    }
  }

  // For the next stage.
  [[nodiscard]] __device__ __forceinline__ RingPlace place() const {
    return {.slot = place_.slot, .phase = place_.phase, .order = place_.order - all_};
  }
  // When it is the warp's turn to make outputs of the sums. First comes the team that is in time to prepare
  // them while others still multiply: the last one, which has a slot less than the first, or if all have as
  // many the first, which is done before the others.
  [[nodiscard]] __device__ __forceinline__ uint32_t turn_at_end() const {
    const uint32_t order = place_.order % kTeams;
    return (all_ % kTeams == 0 ? order : kTeams - 1 - order) * kTeamWarps + team_member();
  }

 private:
  [[nodiscard]] __device__ __forceinline__ uint32_t columns_of(uint32_t piece) const {
    return piece + 1 == pieces_ ? last_columns_ : kWarpColumns<kCodes>;
  }
  __device__ __forceinline__ void load(WalkShared& shared) {
    sums_of_unit_.load(walk_ring() + place_.slot * slot_bytes(kCodes));
    arrive_as_warp(&shared.empty[place_.slot]);
  }

  uint32_t pieces_;
  uint32_t all_;
  uint32_t slots_;
  RingPlace place_;
  uint32_t piece_;         // of its unit, the next of this team
  uint32_t first_;         // of the team's in that unit: one of the first four, and no other team's
  uint32_t whole_;         // from one slot of the team to its next: units,
  uint32_t rest_;          // and pieces
  uint32_t last_columns_;  // of the last piece, which may be shorter
  float* sums_;            // of that unit
  bool loaded_ = false;    // weights of the next slot are in registers
  UnitSums<kCodes> sums_of_unit_;
};

}  // namespace linnet::cuda
