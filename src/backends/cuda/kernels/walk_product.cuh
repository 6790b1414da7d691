// The product of a stage: x and the sums of each warp in shared memory, weights from the ring. Two teams of
// eight warps take slots in turn. Every warp has columns of its own, in each piece the same: it shares that
// part of x with one warp of the other team and waits for no others.
#pragma once

#include "backends/cuda/kernels/matrix_units.cuh"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// x for BF16 weights: BF16. For Q8_0: each block of 32 in 16-bit steps of its own, as two digits of eight
// bits that both meet the codes in one product.
__device__ __forceinline__ void keep_bf16(std::byte* work, uint32_t i, const float4& x) {
  const __nv_bfloat162 low = __floats2bfloat162_rn(x.x, x.y);
  const __nv_bfloat162 high = __floats2bfloat162_rn(x.z, x.w);
  *reinterpret_cast<uint2*>(work + 2 * i) =
      make_uint2(*reinterpret_cast<const uint32_t*>(&low), *reinterpret_cast<const uint32_t*>(&high));
}
// NaN if one of them is: a block with one must not look like numbers.
__device__ __forceinline__ float larger(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
// By all lanes of a warp; eight lanes have a block.
__device__ __forceinline__ void keep_digits(std::byte* work, float* scales, uint32_t i, const float4& x) {
  constexpr float kMost = 127 * 256;  // the first digit is 127 at most
  float largest = larger(larger(fabsf(x.x), fabsf(x.y)), larger(fabsf(x.z), fabsf(x.w)));
#pragma unroll
  for (int offset = 1; offset < 8; offset *= 2)
    largest = larger(largest, __shfl_xor_sync(~0u, largest, offset));
  largest = larger(largest, 1e-30f);  // what is smaller is nothing
  const float steps = __fdividef(kMost, largest);
  const float values[4] = {x.x, x.y, x.z, x.w};
  uint32_t first = 0;
  uint32_t second = 0;
#pragma unroll
  for (uint32_t j = 0; j < 4; ++j) {
    const int step = __float2int_rn(fminf(fmaxf(values[j] * steps, -kMost), kMost));
    const int high = (step + 128) >> 8;
    first |= (static_cast<uint32_t>(high) & 0xFFu) << (8 * j);
    second |= (static_cast<uint32_t>(step) & 0xFFu) << (8 * j);  // step − 256 · high, as a signed byte
  }
  *reinterpret_cast<uint2*>(work + 2 * i) = make_uint2(first, second);
  if (i % 32 == 0) scales[i / 32] = largest * (1.0f / kMost);
}

// Columns of a piece, and those of them that are one warp's.
template <bool kCodes>
constexpr uint32_t kPieceColumns = kCodes ? kPieceBytes : kPieceBytes / 2;
template <bool kCodes>
constexpr uint32_t kWarpColumns = kPieceColumns<kCodes> / kTeamWarps;
static_assert(kWarpColumns<true> == 8 * 32 && kWarpColumns<false> == 4 * 32);

// Half of the warp's columns of x into shared memory, its partner takes the others; with the norm's weights
// but without its scale: that is applied to the sums. Returns this thread's sum of squares.
template <bool kCodes>
__device__ __forceinline__ float take_x(const WalkStage& stage, const WalkArgs& args, uint32_t run,
                                        std::byte* work) {
  constexpr uint32_t kMine = kWarpColumns<kCodes> / 2;
  constexpr uint32_t kLanes = kMine / 4;  // that take the columns of one piece
  constexpr uint32_t kStep = 32 / kLanes * kPieceColumns<kCodes>;
  constexpr uint32_t kParts = 4;  // of four numbers, asked for at once
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t warp = threadIdx.x / 32;
  const uint32_t begin = (warp % kTeamWarps * 2 + warp / kTeamWarps) * kMine;  // of the warp's columns
  const uint32_t first = begin + lane / kLanes * kPieceColumns<kCodes> + lane % kLanes * 4;
  const uint32_t k = stage.k;
  const float* norm = stage.norm;
  const bool plain = stage.plain_in != nullptr;  // from before the walk: there, without tags
  const uint32_t tag_bits = plain ? 0 : 0xFF;
  const uint32_t tag = run * args.uses + stage.in_use;
  const auto* words = plain ? reinterpret_cast<const uint32_t*>(stage.plain_in) : args.words + stage.in;
  auto* const scales = reinterpret_cast<float*>(work + 2 * args.longest_k);
  if (args.pace.delay != 0 && !plain) __nanosleep(args.pace.delay);
  // One word of the warp's columns tells when it is worth asking for all: those who ask in vain are in the
  // way of what they wait for.
  if (stage.one_first && begin < k) {
    while (!fresh(look(words + begin), tag)) {
    }
  }
  float squares = 0;
#pragma unroll 1
  for (uint32_t start = first; start < k; start += kParts * kStep) {
    float4 by[kParts] = {};
    if (norm != nullptr) {
#pragma unroll
      for (uint32_t j = 0; j < kParts; ++j) {
        if (start + j * kStep < k) by[j] = __ldg(reinterpret_cast<const float4*>(norm + start + j * kStep));
      }
    }
    uint4 raw[kParts] = {};
#pragma unroll
    for (uint32_t j = 0; j < kParts; ++j) {
      if (start + j * kStep < k) raw[j] = look_at_four(words + start + j * kStep);
    }
    uint32_t missing;
    do {
      missing = 0;
#pragma unroll
      for (uint32_t j = 0; j < kParts; ++j) {
        if (start + j * kStep >= k) break;
        const uint32_t strange =
            ((raw[j].x ^ tag) | (raw[j].y ^ tag) | (raw[j].z ^ tag) | (raw[j].w ^ tag)) & tag_bits;
        if (strange != 0) raw[j] = look_at_four(words + start + j * kStep);
        missing |= strange;
      }
    } while (missing != 0);
    if (kCodes) __syncwarp();
#pragma unroll
    for (uint32_t j = 0; j < kParts; ++j) {
      const uint32_t i = start + j * kStep;
      if (i >= k) break;
      float4 x = make_float4(__uint_as_float(raw[j].x & ~tag_bits), __uint_as_float(raw[j].y & ~tag_bits),
                             __uint_as_float(raw[j].z & ~tag_bits), __uint_as_float(raw[j].w & ~tag_bits));
      if (norm != nullptr) {
        squares += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
        x = make_float4(x.x * by[j].x, x.y * by[j].y, x.z * by[j].z, x.w * by[j].w);
      }
      if (kCodes) {
        keep_digits(work, scales, i, x);  // k is a multiple of 256: the whole warp is inside
      } else {
        keep_bf16(work, i, x);
      }
    }
  }
  meet_partner();
  return squares;
}

// 16 bytes of shared memory for some lanes of the warp; the others keep what they have.
__device__ __forceinline__ void load_for(bool mine, uint4& into, const std::byte* from) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n@p ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
               : "+r"(into.x), "+r"(into.y), "+r"(into.z), "+r"(into.w)
               : "r"(shared_address(from)), "r"(static_cast<uint32_t>(mine)));
}

// What a warp has of the eight rows of a unit. Rows of the left factor are lanes' own: only those lanes load
// x whose results count, which is a quarter of the time that all would need.
template <bool kCodes>
class UnitSums;

// x is row 0 for the first product and row 8 for the second, just as it is loaded; of each product only the
// row counts that fits.
template <>
class UnitSums<false> {
 public:
  // The warp's columns of a piece, from where it begins in the slot and in x.
  __device__ __forceinline__ void add(const std::byte* slot, const std::byte* work, const float*,
                                      uint32_t column) {
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t at = lane % 4 * 16 + team_member() * (2 * kWarpColumns<false>);
    const std::byte* w = slot + lane / 4 * row_stride(false) + at;
    const std::byte* x = work + 2 * column + at;
#pragma unroll
    for (uint32_t i = 0; i < 4; ++i) {
      load_for(lane < 4, x_[i], x + 64 * i);
      const uint4 b = *reinterpret_cast<const uint4*>(w + 64 * i);
      const uint32_t both[4] = {x_[i].x, x_[i].y, x_[i].z, x_[i].w};
      multiply_add<__nv_bfloat16>(upper_, both, b.x, b.z);
      multiply_add<__nv_bfloat16>(lower_, both, b.y, b.w);
    }
  }
  // Of row 2 · lane in lanes 0 to 3, of the row behind it in lanes 4 to 7; the next unit begins with nothing.
  __device__ __forceinline__ float take() {
    const float even = upper_[0] + lower_[2];
    const float odd = __shfl_up_sync(~0u, upper_[1] + lower_[3], 4);
#pragma unroll
    for (uint32_t i = 0; i < 4; ++i) upper_[i] = lower_[i] = 0;
    return threadIdx.x % 32 < 4 ? even : odd;
  }

 private:
  uint4 x_[4] = {};
  float upper_[4] = {};
  float lower_[4] = {};
};

// Rows b and b + 8 are the digits of the warp's block b. Of x, lanes (g, c) have one register set for every
// g mod 4, and zeros in the others, so that products of four blocks with codes add up to results of each
// block by itself, in whole numbers: those of the first four in lanes with g < 4, of the others in the rest.
template <>
class UnitSums<true> {
 public:
  __device__ __forceinline__ void add(const std::byte* slot, const std::byte* work, const float* x_scales,
                                      uint32_t column) {
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t g = lane / 4;
    const uint32_t c = lane % 4;
    const uint32_t begin = team_member() * kWarpColumns<true>;
    const std::byte* x = work + 2 * (column + begin) + g * 64 + c * 16;
    const std::byte* w = slot + g * row_stride(true) + begin + c * 8;
    int first[4] = {};
    int second[4] = {};
#pragma unroll
    for (uint32_t i = 0; i < 4; ++i) {
      load_for(g % 4 == i, x_[i], x);
      multiply_bytes(first, x_[i], *reinterpret_cast<const uint2*>(w + 32 * i));
      multiply_bytes(second, x_[i], *reinterpret_cast<const uint2*>(w + 32 * (i + 4)));
    }
    const std::byte* scales = slot + scales_at() + 2 * c * kScaleStride + begin / 16 + g * 2;
    const float x_scale = x_scales[(column + begin) / 32 + g];
    const auto of_row = [&](uint32_t row) {
      const int high = g < 4 ? first[row] : second[row];
      const int low = g < 4 ? first[row + 2] : second[row + 2];
      const float scale = __half2float(*reinterpret_cast<const __half*>(scales + row * kScaleStride));
      return static_cast<float>(256 * high + low) * (x_scale * scale);
    };
    even_ += of_row(0);
    odd_ += of_row(1);
  }
  __device__ __forceinline__ float take() {
    const bool odd = threadIdx.x / 4 % 2 != 0;
    float sum = odd ? odd_ : even_;
    sum += __shfl_xor_sync(~0u, odd ? even_ : odd_, 4);
    sum += __shfl_xor_sync(~0u, sum, 8);
    sum += __shfl_xor_sync(~0u, sum, 16);
    even_ = odd_ = 0;
    return sum;
  }

 private:
  uint4 x_[4] = {};
  float even_ = 0;
  float odd_ = 0;
};

// Every second slot of this stage, each warp its columns of them.
template <bool kCodes>
__device__ __forceinline__ void multiply_share(uint32_t k, uint32_t units, uint32_t slots, RingPlace& place,
                                               const std::byte* ring, const std::byte* work,
                                               const float* x_scales, WalkShared& shared) {
  const uint32_t warp = threadIdx.x / 32;
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t pieces = (k + kPieceColumns<kCodes> - 1) / kPieceColumns<kCodes>;
  const uint32_t all = units * pieces;
  float* sums = shared.sums + warp / 4 * (4 * kUnitRows) + (lane % 4 * 2 + lane / 4) * 4 + warp % 4;
  UnitSums<kCodes> of_unit;
  uint32_t piece = place.order;
#pragma unroll 1
  for (uint32_t i = place.order; i < all; i += 2) {
    while (piece >= pieces) {
      piece -= pieces;
      sums += kWalkWarps * kUnitRows;
    }
    const uint32_t column = piece * kPieceColumns<kCodes>;
    wait(&shared.full[place.slot], place.phase);
    if (column + team_member() * kWarpColumns<kCodes> < k)
      of_unit.add(ring + place.slot * slot_bytes(kCodes), work, x_scales, column);
    __syncwarp();
    if (lane == 0) arrive(&shared.empty[place.slot]);
    place.next(slots);
    piece += 2;
    if (piece >= pieces) {  // the team has no more of this unit
      const float sum = of_unit.take();
      if (lane < kUnitRows) *sums = sum;
    }
  }
  place.order ^= all & 1;
}

}  // namespace linnet::cuda
