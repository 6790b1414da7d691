// The product of a stage: x in shared memory, weights from the ring, sums of each warp in shared memory.
// Four warps take a slot, four groups of warps take turns.
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
__device__ __forceinline__ float* block_scales(std::byte* work, uint32_t k) {
  return reinterpret_cast<float*>(work + 2 * k);
}
// NaN if one of them is: a block with one must not look like numbers.
__device__ __forceinline__ float larger(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
// By all lanes of a warp; eight lanes have a block.
__device__ __forceinline__ void keep_digits(std::byte* work, uint32_t k, uint32_t i, const float4& x) {
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
  if (i % 32 == 0) block_scales(work, k)[i / 32] = largest * (1.0f / kMost);
}

// Behind x and the scales of its blocks.
[[nodiscard]] __host__ __device__ constexpr uint32_t norm_offset(uint32_t k) {
  return 2 * k + k / 32 * static_cast<uint32_t>(sizeof(float));
}

// x into shared memory, with the norm's weights but without its scale: that is applied to the sums. Returns
// this thread's sum of squares.
template <bool kCodes>
__device__ __forceinline__ float take_x(const WalkStage& stage, const WalkArgs& args, uint32_t run,
                                        std::byte* work) {
  constexpr uint32_t kStep = 4 * kWalkThreads;
  constexpr uint32_t kParts = 3;  // of four numbers, asked for at once
  const uint32_t k = stage.k;
  const float* norm = stage.norm;
  const bool plain = stage.plain_in != nullptr;  // from before the walk: there, without tags
  const uint32_t tag_bits = plain ? 0 : 0xFF;
  const uint32_t tag = run * args.uses + stage.in_use;
  const auto* words = plain ? reinterpret_cast<const uint32_t*>(stage.plain_in) : args.words + stage.in;
  // The norm's weights come while x is waited for, behind where x will be; each thread fetches its own.
  std::byte* const norms = work + norm_offset(k);
  if (norm != nullptr) {
#pragma unroll 1
    for (uint32_t i = 4 * threadIdx.x; i < k; i += kStep)
      copy_16(shared_address(norms + 4 * i), reinterpret_cast<const std::byte*>(norm + i), true);
  }
  float squares = 0;
#pragma unroll 1
  for (uint32_t start = 4 * threadIdx.x; start < k; start += kParts * kStep) {
    uint4 raw[kParts];
    uint32_t missing = 0;
#pragma unroll
    for (uint32_t j = 0; j < kParts; ++j) {
      if (start + j * kStep >= k) break;
      raw[j] = look_at_four(words + start + j * kStep);
    }
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
    wait_for_copies();
    if (kCodes) __syncwarp();
#pragma unroll
    for (uint32_t j = 0; j < kParts; ++j) {
      const uint32_t i = start + j * kStep;
      if (i >= k) break;
      float4 x = make_float4(__uint_as_float(raw[j].x & ~tag_bits), __uint_as_float(raw[j].y & ~tag_bits),
                             __uint_as_float(raw[j].z & ~tag_bits), __uint_as_float(raw[j].w & ~tag_bits));
      if (norm != nullptr) {
        squares += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
        const float4 by = *reinterpret_cast<const float4*>(norms + 4 * i);
        x = make_float4(x.x * by.x, x.y * by.y, x.z * by.z, x.w * by.w);
      }
      if (kCodes) {
        keep_digits(work, k, i, x);  // k is a multiple of 256: the whole warp is inside
      } else {
        keep_bf16(work, i, x);
      }
    }
  }
  return squares;
}

// Columns 32 · block of a slot for one warp of four. Of the left factor's 16 rows half are x in the places of
// the first product and half in those of the second, just as they are loaded; of each product only the rows
// count that fit. Lanes 0 to 3 have the sums of rows 2 · lane, lanes 4 to 7 those of the rows behind them.
__device__ __forceinline__ float multiply_bf16(const std::byte* slot, const std::byte* x, uint32_t blocks) {
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t part = threadIdx.x / 32 % 4;
  const std::byte* w = slot + lane / 4 * row_stride(false) + lane % 4 * 16 + 64 * part;
  x += lane % 4 * 16 + 64 * part;
  float upper[2][4] = {};
  float lower[2][4] = {};
#pragma unroll 2
  for (uint32_t block = 0; block < blocks; block += 8) {  // a multiple of 8
#pragma unroll
    for (uint32_t i = 0; i < 2; ++i) {
      const uint4 a = *reinterpret_cast<const uint4*>(x + 64 * (block + 4 * i));
      const uint4 b = *reinterpret_cast<const uint4*>(w + 64 * (block + 4 * i));
      const uint32_t both[4] = {a.x, a.y, a.z, a.w};
      multiply_add<__nv_bfloat16>(upper[i], both, b.x, b.z);
      multiply_add<__nv_bfloat16>(lower[i], both, b.y, b.w);
    }
  }
  const float even = (upper[0][0] + lower[0][2]) + (upper[1][0] + lower[1][2]);
  const float odd = (upper[0][1] + lower[0][3]) + (upper[1][1] + lower[1][3]);
  return lane / 4 % 2 == 0 ? even : odd;
}

// Stretches of 256 columns for one warp of four: a product for each block of 32, of the codes with both
// digits of x, in whole numbers. The result as in multiply_bf16().
__device__ __forceinline__ float multiply_q8_0(const std::byte* slot, const std::byte* x,
                                               const float* x_scales, uint32_t stretches) {
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t c = lane % 4;
  const std::byte* w = slot + lane / 4 * row_stride(true) + c * 8;
  const std::byte* scales = slot + scales_at() + 2 * c * kScaleStride;
  x += c * 16;
  float2 sum = make_float2(0, 0);
#pragma unroll 1
  for (uint32_t stretch = threadIdx.x / 32 % 4; stretch < stretches; stretch += 4) {
    const uint4 even = *reinterpret_cast<const uint4*>(scales + 16 * stretch);
    const uint4 odd = *reinterpret_cast<const uint4*>(scales + kScaleStride + 16 * stretch);
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t block = 8 * stretch + i;
      const uint4 a = *reinterpret_cast<const uint4*>(x + 64 * block);
      const uint2 b = *reinterpret_cast<const uint2*>(w + 32 * block);
      int digits[4];
      multiply_bytes(digits, a, b);
      const float scale = x_scales[block];
      const auto of = [&](const uint4& eight) {
        const uint32_t two = word(eight, i / 2);
        return __half2float(__ushort_as_half(static_cast<unsigned short>(i % 2 == 0 ? two : two >> 16)));
      };
      sum.x += static_cast<float>(256 * digits[0] + digits[2]) * (scale * of(even));
      sum.y += static_cast<float>(256 * digits[1] + digits[3]) * (scale * of(odd));
    }
  }
  return lane / 4 % 2 == 0 ? sum.x : sum.y;
}

// All slots of this stage that are the group's: each warp adds to its own sums.
template <bool kCodes>
__device__ __forceinline__ void multiply_share(const WalkStage& stage, const WalkArgs& args,
                                               const Share& share, const std::byte* ring,
                                               const std::byte* work, WalkShared& shared) {
  const uint32_t warp = threadIdx.x / 32;
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t k = stage.k;
  const uint32_t row_bytes = kCodes ? k : 2 * k;
  const uint32_t pieces = (row_bytes + kPieceBytes - 1) / kPieceBytes;
  const uint32_t all = (share.end - share.first) * pieces;
  const uint32_t slots = args.slots;
  float* sums = shared.sums + warp / 4 * (4 * kUnitRows) + (lane % 4 * 2 + lane / 4 % 2) * 4 + warp % 4;
  RingPlace place = shared.places[warp];
  uint32_t unit = 0;
  uint32_t piece = (warp / 4 - place.gone) % 4;
  place.gone += all;
#pragma unroll 1
  for (uint32_t i = piece; i < all; i += 4, piece += 4) {
    while (piece >= pieces) {
      piece -= pieces;
      ++unit;
    }
    const std::byte* slot = ring + place.slot * slot_bytes(kCodes);
    const uint32_t bytes = min(kPieceBytes, row_bytes - piece * kPieceBytes);
    wait(&shared.full[place.slot], place.phase);
    float sum;
    if constexpr (kCodes) {
      sum = multiply_q8_0(slot, work + 2 * piece * kPieceBytes,
                          reinterpret_cast<const float*>(work + 2 * k) + piece * (kPieceBytes / 32),
                          bytes / 256);
    } else {
      sum = multiply_bf16(slot, work + piece * kPieceBytes, bytes / 64);
    }
    __syncwarp();
    if (lane == 0) arrive(&shared.empty[place.slot]);
    if (lane < kUnitRows) sums[unit * (kWalkWarps * kUnitRows)] += sum;
    place.next(slots);
  }
  if (lane == 0) shared.places[warp] = place;
}

}  // namespace linnet::cuda
