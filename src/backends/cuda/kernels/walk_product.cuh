// The product of a stage: x in shared memory, weights from the ring, sums of each warp in shared memory.
// Four warps take a slot, four groups of warps take turns.
#pragma once

#include "backends/cuda/kernels/matrix_units.cuh"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// Where a group of warps stands in the ring.
struct RingPlace {
  uint32_t slot;
  uint32_t phase = 0;
  uint32_t gone = 0;  // slots of all stages so far

  __device__ __forceinline__ void next(uint32_t slots) {
    slot += 4;
    if (slot >= slots) {
      slot -= slots;
      phase ^= 1;
    }
  }
};

// x for BF16 weights: BF16. For Q8_0: F16, each block of 32 divided by a power of two that brings its largest
// to [2^14, 2^15), so that codes can be made F16 with one byte permutation for two and nothing overflows.
__device__ __forceinline__ void keep_bf16(std::byte* work, uint32_t i, const float4& x) {
  const __nv_bfloat162 low = __floats2bfloat162_rn(x.x, x.y);
  const __nv_bfloat162 high = __floats2bfloat162_rn(x.z, x.w);
  *reinterpret_cast<uint2*>(work + 2 * i) =
      make_uint2(*reinterpret_cast<const uint32_t*>(&low), *reinterpret_cast<const uint32_t*>(&high));
}
__device__ __forceinline__ float* block_scales(std::byte* work, uint32_t k) {
  return reinterpret_cast<float*>(work + 2 * k);
}
// By all lanes of a warp; eight lanes have a block.
__device__ __forceinline__ void keep_f16(std::byte* work, uint32_t k, uint32_t i, const float4& x) {
  float largest = fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w)));
#pragma unroll
  for (int offset = 1; offset < 8; offset *= 2)
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, offset));
  // 2^(floor(log2(largest)) − 14), kept inside what a float can invert.
  const uint32_t exponent = min(max(__float_as_uint(largest) >> 23, 32u), 240u) - 14;
  const float scale = __uint_as_float(exponent << 23);
  const float inverse = __uint_as_float((254 - exponent) << 23);
  const __half2 low = __floats2half2_rn(x.x * inverse, x.y * inverse);
  const __half2 high = __floats2half2_rn(x.z * inverse, x.w * inverse);
  *reinterpret_cast<uint2*>(work + 2 * i) =
      make_uint2(*reinterpret_cast<const uint32_t*>(&low), *reinterpret_cast<const uint32_t*>(&high));
  if (i % 32 == 0) block_scales(work, k)[i / 32] = scale;
}

// x in shared memory, with the norm's weights but without its scale: that is applied to the sums.
struct TakenX {
  float squares = 0;

  __device__ __forceinline__ void keep(const WalkStage& stage, uint32_t i, float4 x, const float4& norm,
                                       std::byte* work) {
    if (stage.norm != nullptr) {
      squares += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
      x = make_float4(x.x * norm.x, x.y * norm.y, x.z * norm.z, x.w * norm.w);
    }
    if (stage.format == Format::bf16) {
      keep_bf16(work, i, x);
    } else {
      keep_f16(work, stage.k, i, x);  // k is a multiple of 256: the whole warp is inside
    }
  }
};

__device__ __forceinline__ float4 norm_of(const WalkStage& stage, uint32_t i) {
  return __ldg(reinterpret_cast<const float4*>(stage.norm + i));
}

// Where the values before the walk are: no polling.
__device__ __forceinline__ float take_plain(const WalkStage& stage, std::byte* work) {
  TakenX taken;
  for (uint32_t i = 4 * threadIdx.x; i < stage.k; i += 4 * kWalkThreads) {
    const float4 x = *reinterpret_cast<const float4*>(stage.plain_in + i);
    taken.keep(stage, i, x, stage.norm != nullptr ? norm_of(stage, i) : x, work);
  }
  return taken.squares;
}

// kParts · 4 numbers for each thread are asked for at once, again until they are there; if k needs more, then
// the next so many.
template <uint32_t kParts>
__device__ __forceinline__ float take_words(const WalkStage& stage, const uint32_t* words, uint32_t tag,
                                            std::byte* work) {
  constexpr uint32_t kStep = 4 * kWalkThreads;
  const uint32_t k = stage.k;
  TakenX taken;
  // The norm's weights do not depend on anything: they come while the numbers are waited for.
  constexpr bool kNormEarly = kParts <= 2;
  float4 norms[kNormEarly ? kParts : 1];
  if (kNormEarly && stage.norm != nullptr) {
#pragma unroll
    for (uint32_t j = 0; j < kParts; ++j) {
      const uint32_t i = 4 * threadIdx.x + j * kStep;
      if (i < k) norms[kNormEarly ? j : 0] = norm_of(stage, i);
    }
  }
  // One word of each warp's first part before all of them: fewer polls leave the queues shorter.
  const uint32_t* canary = words + 4 * (threadIdx.x / 32 * 32);
  while (4 * threadIdx.x < k && !fresh(look(canary), tag)) {
  }
  __syncwarp();
  for (uint32_t start = 4 * threadIdx.x; start < k; start += kParts * kStep) {
    uint4 raw[kParts];
    bool all;
    do {
      all = true;
#pragma unroll
      for (uint32_t j = 0; j < kParts; ++j)
        if (start + j * kStep < k) raw[j] = look_at_four(words + start + j * kStep);
#pragma unroll
      for (uint32_t j = 0; j < kParts; ++j)
        if (start + j * kStep < k) all = all && fresh(raw[j], tag);
    } while (!all);
#pragma unroll
    for (uint32_t j = 0; j < kParts; ++j) {
      const uint32_t i = start + j * kStep;
      if (i >= k) break;
      const float4 x =
          make_float4(number_of(raw[j].x), number_of(raw[j].y), number_of(raw[j].z), number_of(raw[j].w));
      if (kNormEarly) {
        taken.keep(stage, i, x, norms[kNormEarly ? j : 0], work);
      } else {
        taken.keep(stage, i, x, stage.norm != nullptr ? norm_of(stage, i) : x, work);
      }
    }
  }
  return taken.squares;
}

// Leaves each warp's sum of squares in shared.squares.
__device__ __forceinline__ void take_x(const WalkStage& stage, const WalkArgs& args, uint32_t run,
                                       std::byte* work, WalkShared& shared) {
  constexpr uint32_t kStep = 4 * kWalkThreads;
  const uint32_t tag = run * args.uses + stage.in_use;
  const uint32_t* words = args.words + stage.in;
  float squares;
  if (stage.plain_in != nullptr) {
    squares = take_plain(stage, work);
  } else if (stage.k <= kStep) {
    squares = take_words<1>(stage, words, tag, work);
  } else if (stage.k <= 2 * kStep) {
    squares = take_words<2>(stage, words, tag, work);
  } else {
    squares = take_words<4>(stage, words, tag, work);
  }
  if (stage.norm == nullptr) return;
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) shared.squares[threadIdx.x / 32] = squares;
}

// After the warps have met.
__device__ __forceinline__ float scale_of_norm(const WalkStage& stage, const WalkShared& shared) {
  if (stage.norm == nullptr) return 1;
  float squares = 0;
#pragma unroll
  for (uint32_t i = 0; i < kWalkWarps / 4; ++i) {
    const float4 four = reinterpret_cast<const float4*>(shared.squares)[i];
    squares += (four.x + four.y) + (four.z + four.w);
  }
  return rsqrtf(squares * stage.inverse_k + stage.epsilon);
}

// Columns 32 · block of a slot for one warp of four; all 16 rows of the left factor are x. Lanes 0 to 3 have
// the sums of rows 2 · lane and 2 · lane + 1.
__device__ __forceinline__ float2 multiply_bf16(const std::byte* slot, const std::byte* x, uint32_t blocks) {
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t part = threadIdx.x / 32 % 4;
  const std::byte* w = slot + lane / 4 * kRowStride + lane % 4 * 16;
  x += lane % 4 * 16;
  float even[4] = {};
  float odd[4] = {};
  const auto one = [&](uint32_t block) {
    const uint4 a = *reinterpret_cast<const uint4*>(x + 64 * block);
    const uint4 b = *reinterpret_cast<const uint4*>(w + 64 * block);
    const uint32_t first[4] = {a.x, a.x, a.y, a.y};
    const uint32_t second[4] = {a.z, a.z, a.w, a.w};
    multiply_add<__nv_bfloat16>(even, first, b.x, b.y);
    multiply_add<__nv_bfloat16>(odd, second, b.z, b.w);
  };
  if (blocks == kPieceBytes / 64) {
#pragma unroll
    for (uint32_t i = 0; i < kPieceBytes / 64; i += 4) one(i + part);
  } else {
    for (uint32_t block = part; block < blocks; block += 4) one(block);
  }
  return make_float2(even[0] + odd[0], even[1] + odd[1]);
}

// Two codes of four bytes as F16: 1024 + 128 + code by its bits, less 1152.
__device__ __forceinline__ uint32_t f16_of_codes(uint32_t biased, uint32_t selector) {
  const uint32_t bits = __byte_perm(biased, 0x64646464u, selector);
  const __half2 shift = __halves2half2(__ushort_as_half(0x6480), __ushort_as_half(0x6480));
  const __half2 codes = __hsub2(*reinterpret_cast<const __half2*>(&bits), shift);
  return *reinterpret_cast<const uint32_t*>(&codes);
}

// Stretches of 256 columns for one warp of four. Row g of the left factor is x in the g-th block of 32 and
// zero elsewhere, so the sums come out by block and are scaled there.
__device__ __forceinline__ float2 multiply_q8_0(const std::byte* slot, const std::byte* x,
                                                const float* x_scales, uint32_t stretches) {
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t g = lane / 4;
  const uint32_t c = lane % 4;
  const std::byte* w = slot + g * kRowStride + c * 16;
  const auto* scales = reinterpret_cast<const __half*>(slot + kScalesAt);
  float2 sum = make_float2(0, 0);
  for (uint32_t stretch = threadIdx.x / 32 % 4; stretch < stretches; stretch += 4) {
    uint4 mine[2] = {};
    if (g % 2 == c / 2) {
      const auto* from = reinterpret_cast<const uint4*>(x + 2 * (256 * stretch + 64 * (g / 2) + 16 * c));
      mine[0] = from[0];
      mine[1] = from[1];
    }
    float even[4] = {};
    float odd[4] = {};
#pragma unroll
    for (uint32_t j = 0; j < 4; ++j) {
      const bool here = j == g / 2;
      const uint4 raw = *reinterpret_cast<const uint4*>(w + 256 * stretch + 64 * j);
      const uint32_t codes[4] = {raw.x, raw.y, raw.z, raw.w};
      const uint32_t numbers[8] = {mine[0].x, mine[0].y, mine[0].z, mine[0].w,
                                   mine[1].x, mine[1].y, mine[1].z, mine[1].w};
#pragma unroll
      for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t biased = codes[i] ^ 0x80808080u;
        const uint32_t a[4] = {here ? numbers[2 * i] : 0, 0, here ? numbers[2 * i + 1] : 0, 0};
        multiply_add<__half>(i % 2 == 0 ? even : odd, a, f16_of_codes(biased, 0x4140),
                             f16_of_codes(biased, 0x4342));
      }
    }
    const float scale = x_scales[8 * stretch + g];
    const uint32_t at = 2 * c * (kPieceScales / 2) + 8 * stretch + g;
    sum.x += (even[0] + odd[0]) * (scale * __half2float(scales[at]));
    sum.y += (even[1] + odd[1]) * (scale * __half2float(scales[at + kPieceScales / 2]));
  }
#pragma unroll
  for (int offset = 4; offset < 32; offset *= 2) {
    sum.x += __shfl_xor_sync(~0u, sum.x, offset);
    sum.y += __shfl_xor_sync(~0u, sum.y, offset);
  }
  return sum;
}

// All slots of this stage that are the group's: each warp adds to its own sums.
__device__ __forceinline__ void multiply_share(const WalkStage& stage, const Share& share, uint32_t slots,
                                               const std::byte* ring, const std::byte* work, RingPlace& place,
                                               WalkShared& shared) {
  const uint32_t warp = threadIdx.x / 32;
  const uint32_t lane = threadIdx.x % 32;
  const bool codes = stage.format == Format::q8_0;
  const uint32_t row_bytes = codes ? stage.k : 2 * stage.k;
  const uint32_t pieces = (row_bytes + kPieceBytes - 1) / kPieceBytes;
  const uint32_t all = (share.end - share.first) * pieces;
  uint32_t unit = 0;
  uint32_t piece = (warp / 4 - place.gone) % 4;
  place.gone += all;
  for (uint32_t i = piece; i < all; i += 4, piece += 4) {
    while (piece >= pieces) {
      piece -= pieces;
      ++unit;
    }
    const std::byte* slot = ring + place.slot * kSlotBytes;
    const uint32_t bytes = min(kPieceBytes, row_bytes - piece * kPieceBytes);
    wait(&shared.full[place.slot], place.phase);
    float2 sum;
    if (codes) {
      sum = multiply_q8_0(slot, work + 2 * piece * kPieceBytes,
                          reinterpret_cast<const float*>(work + 2 * stage.k) + piece * (kPieceBytes / 32),
                          bytes / 256);
    } else {
      sum = multiply_bf16(slot, work + piece * kPieceBytes, bytes / 64);
    }
    __syncwarp();
    if (lane == 0) arrive(&shared.empty[place.slot]);
    if (lane < 4) {
      auto* mine = reinterpret_cast<float2*>(shared.sums + (unit * kWalkWarps + warp) * kUnitRows) + lane;
      *mine = make_float2(mine->x + sum.x, mine->y + sum.y);
    }
    place.next(slots);
  }
}

}  // namespace linnet::cuda
