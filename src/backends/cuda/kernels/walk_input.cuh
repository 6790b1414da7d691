// x of a stage: from words, or from before the walk, into shared memory as the product wants it. Every warp
// has columns of its own, in each piece the same: it shares that part of x with one warp of each other team
// and waits for no others.
#pragma once

#include "backends/cuda/kernels/matrix_units.cuh"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// x for BF16 weights: BF16, of eight columns the pairs 0 and 2, then 1 and 3. For Q8_0: each block of 32 in
// 16-bit steps of its own, as two digits of eight bits, of eight columns the first ones and then the second
// ones.
__device__ __forceinline__ void keep_bf16(std::byte* work, uint32_t i, const float4& x) {
  const __nv_bfloat162 low = __floats2bfloat162_rn(x.x, x.y);
  const __nv_bfloat162 high = __floats2bfloat162_rn(x.z, x.w);
  auto* const into = reinterpret_cast<uint32_t*>(work + 2 * (i - i % 8)) + i % 8 / 4;
  into[0] = *reinterpret_cast<const uint32_t*>(&low);
  into[2] = *reinterpret_cast<const uint32_t*>(&high);
}
// NaN if one of them is: a block with one must not look like numbers.
__device__ __forceinline__ float larger(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
// Of more than 2^126 it is 0.
__device__ __forceinline__ float reciprocal(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
// By all lanes of a warp, each `kNumbers` of x from column i on; what lies behind the end is not kept. A
// block with a number of `nan` or more counts as one with NaN.
template <uint32_t kNumbers>
__device__ __forceinline__ void keep_digits(std::byte* work, float* scales, uint32_t i, bool here,
                                            const float (&x)[kNumbers], float nan = INFINITY) {
  constexpr float kMost = 127 * 256;  // the first digit is 127 at most
  // What is added to it becomes a whole number, in its low 16 bits, and 128 more: so the upper byte is the
  // first digit, and the lower one the second with its highest bit turned.
  constexpr float kRounder = 0x1.8p+23f + 128;
  float largest = 1e-30f;  // what is smaller is nothing
#pragma unroll
  for (const float each : x) largest = larger(largest, fabsf(each));
#pragma unroll
  for (int offset = 1; offset < 32 / kNumbers; offset *= 2)
    largest = larger(largest, __shfl_xor_sync(~0u, largest, offset));
  const float steps = kMost / 16 * reciprocal(largest / 16);
  uint32_t first[kNumbers / 4];
  uint32_t second[kNumbers / 4];
#pragma unroll
  for (uint32_t j = 0; j < kNumbers / 4; ++j) {
    uint32_t step[4];
#pragma unroll
    for (uint32_t n = 0; n < 4; ++n) step[n] = __float_as_uint(fmaf(x[4 * j + n], steps, kRounder));
    const uint32_t low = __byte_perm(step[0], step[1], 0x5410);
    const uint32_t high = __byte_perm(step[2], step[3], 0x5410);
    first[j] = __byte_perm(low, high, 0x7531);
    second[j] = __byte_perm(low, high, 0x6420) ^ 0x80808080;
  }
  if (!here) return;
  if constexpr (kNumbers == 8) {
    *reinterpret_cast<uint4*>(work + 2 * i) = make_uint4(first[0], first[1], second[0], second[1]);
  } else {
    std::byte* const into = work + 2 * i - i % 8;  // four of the eight
    *reinterpret_cast<uint32_t*>(into) = first[0];
    *reinterpret_cast<uint32_t*>(into + 8) = second[0];
  }
  if (i % 32 == 0) scales[i / 32] = largest < nan ? largest * (1.0f / kMost) : NAN;
}

// Which of the warp's columns a thread takes: the others are its partners'. A thread has `kNumbers`
// neighbours in every `kStep` columns.
template <bool kCodes, uint32_t kNumbers>
struct Columns {
  static constexpr uint32_t kMine = kWarpColumns<kCodes> / kTeams;
  static constexpr uint32_t kLanes = kMine / kNumbers;  // that take the columns of one piece
  static constexpr uint32_t kStep = 32 / kLanes * kPieceColumns<kCodes>;
  uint32_t begin;  // of the warp's
  uint32_t first;

  __device__ __forceinline__ Columns() {
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t warp = threadIdx.x / 32;
    begin = (warp % kTeamWarps * kTeams + warp / kTeamWarps) * kMine;
    first = begin + lane / kLanes * kPieceColumns<kCodes> + lane % kLanes * kNumbers;
  }
};

// Asks for words until all are there: four from each place, `kStep` apart, that lies before the end, which is
// `left` words away.
template <uint32_t kStep, uint32_t kParts>
__device__ __forceinline__ void await_all(uint4 (&raw)[kParts], const uint32_t* from, uint32_t left,
                                          uint32_t tag, uint32_t tag_bits) {
#pragma unroll
  for (uint32_t j = 0; j < kParts; ++j) {
    if (j * kStep < left) raw[j] = look_at_four(from + j * kStep);
  }
  uint32_t missing;
  do {
    missing = 0;
#pragma unroll
    for (uint32_t j = 0; j < kParts; ++j) {
      if (j * kStep >= left) break;
      const uint32_t strange =
          ((raw[j].x ^ tag) | (raw[j].y ^ tag) | (raw[j].z ^ tag) | (raw[j].w ^ tag)) & tag_bits;
      if (strange != 0) raw[j] = look_at_four(from + j * kStep);
      missing |= strange;
    }
  } while (missing != 0);
}

// Some of the warp's columns of x into shared memory, its partners take the others; with the norm's weights
// but without its scale: that is applied to the sums, by means of the squares that are summed here.
template <bool kCodes>
__device__ __forceinline__ void take_x(const WalkStage& stage, const WalkArgs& args, uint32_t run,
                                       std::byte* work, WalkShared& shared) {
  constexpr uint32_t kParts = 2;  // asked for at once
  using Mine = Columns<kCodes, 4>;
  const Mine mine;
  const uint32_t k = stage.k;
  const float* norm = stage.norm;
  const bool plain = stage.plain_in != nullptr;  // from before the walk: there, without tags
  const uint32_t tag_bits = plain ? 0 : kWordTag;
  const uint32_t tag = stage.in_use.in(run);
  const auto* words = plain ? reinterpret_cast<const uint32_t*>(stage.plain_in) : args.words + stage.in;
  auto* const scales = reinterpret_cast<float*>(work + 2 * k);
  float squares = 0;
#pragma unroll 1
  for (uint32_t start = mine.first; start < k; start += kParts * Mine::kStep) {
    float4 by[kParts] = {};
    if (norm != nullptr) {
#pragma unroll
      for (uint32_t j = 0; j < kParts; ++j) {
        if (start + j * Mine::kStep < k)
          by[j] = __ldg(reinterpret_cast<const float4*>(norm + start + j * Mine::kStep));
      }
    }
    uint4 raw[kParts] = {};
    await_all<Mine::kStep>(raw, words + start, k - start, tag, tag_bits);
    if (kCodes) __syncwarp();
#pragma unroll
    for (uint32_t j = 0; j < kParts; ++j) {
      const uint32_t i = start + j * Mine::kStep;
      if (i >= k) break;
      float4 x = make_float4(__uint_as_float(raw[j].x & ~tag_bits), __uint_as_float(raw[j].y & ~tag_bits),
                             __uint_as_float(raw[j].z & ~tag_bits), __uint_as_float(raw[j].w & ~tag_bits));
      if (norm != nullptr) {
        squares += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
        x = make_float4(x.x * by[j].x, x.y * by[j].y, x.z * by[j].z, x.w * by[j].w);
      }
      if (kCodes) {
        const float four[4] = {x.x, x.y, x.z, x.w};
        keep_digits(work, scales, i, true, four);  // k is a multiple of 256: the whole warp is inside
      } else {
        keep_bf16(work, i, x);
      }
    }
  }
  if (norm != nullptr) shared.squares[threadIdx.x] = squares;
  meet_partners();
}

// The same of pairs, which have no norm. They are many, or attention makes them wait for long: one word of
// the warp's columns tells when it is worth asking for all. Those who ask in vain are in the way of what they
// wait for.
inline constexpr uint32_t kBetweenLooks = 100;  // nanoseconds
template <bool kCodes>
__device__ __forceinline__ void take_pairs(const WalkStage& stage, const WalkArgs& args, uint32_t run,
                                           std::byte* work) {
  constexpr uint32_t kParts = 4;
  using Mine = Columns<kCodes, 8>;
  const Mine mine;
  const uint32_t k = stage.k;
  const uint32_t tag = pair_tag(stage.in_use.in(run));
  const uint32_t* words = args.words + stage.in + (blockIdx.x & (stage.in_copies - 1u)) * words_of_copy(k);
  const uint32_t* from = words + mine.first / 2;
  uint4 raw[kParts] = {};
#pragma unroll
  for (uint4& each : raw) settle(each);
  auto* const scales = reinterpret_cast<float*>(work + 2 * k);
  if (mine.begin < k) {
    while (((look(words + mine.begin / 2) ^ tag) & kPairTag) != 0) __nanosleep(kBetweenLooks);
  }
  constexpr uint32_t kAll = kParts * Mine::kStep;
#pragma unroll 1
  for (uint32_t start = 0; start < k; start += kAll, from += kAll / 2) {
    const uint32_t first = start + mine.first;
    await_all<Mine::kStep / 2>(raw, from, first < k ? (k - first) / 2 : 0, tag, kPairTag);
    if (kCodes) __syncwarp();
#pragma unroll
    for (uint32_t j = 0; j < kParts; ++j) {
      if (start + mine.begin + j * Mine::kStep >= k) break;  // the first lane's
      const uint32_t i = start + mine.first + j * Mine::kStep;
      if (kCodes) {
        const uint4 x = {moved_back(raw[j].x), moved_back(raw[j].y), moved_back(raw[j].z),
                         moved_back(raw[j].w)};
        const float eight[8] = {__uint_as_float(x.x << 16), __uint_as_float(x.x & 0xFFFF0000u),
                                __uint_as_float(x.y << 16), __uint_as_float(x.y & 0xFFFF0000u),
                                __uint_as_float(x.z << 16), __uint_as_float(x.z & 0xFFFF0000u),
                                __uint_as_float(x.w << 16), __uint_as_float(x.w & 0xFFFF0000u)};
        keep_digits(work, scales, i, i < k, eight, kNaNMovedBack);
      } else if (i < k) {
        const uint4 x = numbers_of_pairs(raw[j]);
        *reinterpret_cast<uint4*>(work + 2 * i) = make_uint4(x.x, x.z, x.y, x.w);
      }
    }
  }
  meet_partners();
}

}  // namespace linnet::cuda
