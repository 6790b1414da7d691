// Numbers of every format, one at a time, and what all kernels do: stamp the receipt, check an index, reduce.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "backends/cuda/counters.h"
#include "backends/cuda/kernels/instructions.cuh"
#include "backends/cuda/operands.h"
#include "format/q8_a.h"

namespace linnet::cuda {

__device__ __forceinline__ float load_number(const std::byte* data, Format format, uint64_t i) {
  switch (format) {
    case Format::f32:
      return reinterpret_cast<const float*>(data)[i];
    case Format::f16:
      return __half2float(reinterpret_cast<const __half*>(data)[i]);
    case Format::bf16:
      return __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(data)[i]);
    case Format::q8_a: {
      const auto& block = reinterpret_cast<const Q8ABlock*>(data)[i / Q8ABlock::kElements];
      return block.scale * static_cast<float>(block.codes[i % Q8ABlock::kElements]);
    }
    default:
      return 0;
  }
}

__device__ __forceinline__ void store_number(std::byte* data, Format format, uint64_t i, float value) {
  switch (format) {
    case Format::f32:
      reinterpret_cast<float*>(data)[i] = value;
      return;
    case Format::f16:
      reinterpret_cast<__half*>(data)[i] = __float2half_rn(value);
      return;
    case Format::bf16:
      reinterpret_cast<__nv_bfloat16*>(data)[i] = __float2bfloat16_rn(value);
      return;
    default:
      return;
  }
}

__device__ __forceinline__ float load_number(const Tensor& tensor, uint64_t row, uint64_t column) {
  return load_number(tensor.data, tensor.format, row * tensor.stride + column);
}
__device__ __forceinline__ void store_number(const Tensor& tensor, uint64_t row, uint64_t column,
                                             float value) {
  store_number(tensor.data, tensor.format, row * tensor.stride + column, value);
}

// Two neighbours at once; the first of them is aligned to both.
__device__ __forceinline__ void store_two(const Tensor& tensor, uint64_t row, uint64_t column, float first,
                                          float second) {
  const uint64_t i = row * tensor.stride + column;
  switch (tensor.format) {
    case Format::f32:
      *reinterpret_cast<float2*>(reinterpret_cast<float*>(tensor.data) + i) = make_float2(first, second);
      return;
    case Format::f16:
      *reinterpret_cast<__half2*>(reinterpret_cast<__half*>(tensor.data) + i) =
          __floats2half2_rn(first, second);
      return;
    case Format::bf16:
      *reinterpret_cast<__nv_bfloat162*>(reinterpret_cast<__nv_bfloat16*>(tensor.data) + i) =
          __floats2bfloat162_rn(first, second);
      return;
    default:
      return;
  }
}

// Four neighbours at once, where they lie so (floats_in_fours).
__device__ __forceinline__ float4 load_aligned_four(const Tensor& tensor, uint64_t row, uint64_t column) {
  return *reinterpret_cast<const float4*>(reinterpret_cast<const float*>(tensor.data) + row * tensor.stride +
                                          column);
}
__device__ __forceinline__ void store_four(std::byte* data, Format format, uint64_t i, const float4& four) {
  switch (format) {
    case Format::f32:
      *reinterpret_cast<float4*>(reinterpret_cast<float*>(data) + i) = four;
      return;
    case Format::f16: {
      const __half2 two[2] = {__floats2half2_rn(four.x, four.y), __floats2half2_rn(four.z, four.w)};
      *reinterpret_cast<uint2*>(data + 2 * i) = *reinterpret_cast<const uint2*>(two);
      return;
    }
    case Format::bf16: {
      const __nv_bfloat162 two[2] = {__floats2bfloat162_rn(four.x, four.y),
                                     __floats2bfloat162_rn(four.z, four.w)};
      *reinterpret_cast<uint2*>(data + 2 * i) = *reinterpret_cast<const uint2*>(two);
      return;
    }
    default:
      return;
  }
}
__device__ __forceinline__ void store_four(const Tensor& tensor, uint64_t row, uint64_t column,
                                           const float4& four) {
  store_four(tensor.data, tensor.format, row * tensor.stride + column, four);
}
// Whether all rows are made of fours that can be loaded and stored at once.
inline bool lies_in_fours(const Tensor& tensor) {
  return tensor.format != Format::q8_a && tensor.width % 4 == 0 && tensor.stride % 4 == 0 &&
         reinterpret_cast<uintptr_t>(tensor.data) % 16 == 0;
}
inline bool floats_in_fours(const Tensor& tensor) {
  return tensor.format == Format::f32 && lies_in_fours(tensor);
}

__device__ __forceinline__ float load_number(const Matrix& matrix, uint64_t row, uint64_t column) {
  const uint64_t i = row * matrix.columns + column;
  if (matrix.format != Format::q8_0) return load_number(matrix.data, matrix.format, i);
  const float scale = __half2float(reinterpret_cast<const __half*>(matrix.scales)[i / 32]);
  return scale * static_cast<float>(reinterpret_cast<const int8_t*>(matrix.data)[i]);
}

// Numbers of a weight in 32 bits.
template <Format W>
inline constexpr uint32_t kNumbersAWord = W == Format::f32    ? 1
                                          : W == Format::q8_0 ? 4
                                                              : 2;

// Words of a weight as numbers; of Q8_0 as codes, without the scale.
template <Format W, uint32_t kWords>
__device__ __forceinline__ void unpack_words(const uint32_t (&words)[kWords],
                                             float (&w)[kWords * kNumbersAWord<W>]) {
#pragma unroll
  for (uint32_t i = 0; i < kWords; ++i) {
    if constexpr (W == Format::f32) {
      w[i] = __uint_as_float(words[i]);
    } else if constexpr (W == Format::bf16) {
      w[2 * i] = __uint_as_float(words[i] << 16);
      w[2 * i + 1] = __uint_as_float(words[i] & 0xFFFF0000u);
    } else if constexpr (W == Format::f16) {
      const float2 two = __half22float2(*reinterpret_cast<const __half2*>(&words[i]));
      w[2 * i] = two.x;
      w[2 * i + 1] = two.y;
    } else {
#pragma unroll
      for (uint32_t j = 0; j < 4; ++j)
        w[4 * i + j] = static_cast<float>(static_cast<int8_t>(words[i] >> (8 * j)));
    }
  }
}

// First thing in every kernel: its first block says when it began, nobody waits for it.
__device__ __forceinline__ void stamp(const Stamp& stamp) {
  if (stamp.lines == nullptr || threadIdx.x != 0 || blockIdx.x != 0 || blockIdx.y != 0 || blockIdx.z != 0)
    return;
  const unsigned long long now = nanoseconds();
  if (stamp.before != kNoLine) atomicAdd(&stamp.lines[stamp.before].nanoseconds, now);
  if (stamp.here == kNoLine) return;
  atomicAdd(&stamp.lines[stamp.here].nanoseconds, 0ull - now);
  atomicAdd(&stamp.lines[stamp.here].count, 1ull);
  atomicAdd(&stamp.lines[stamp.here].bytes, stamp.bytes);
}

// The end of a run, by its last kernel itself.
__device__ __forceinline__ void close(const Stamp& stamp) {
  if (threadIdx.x == 0 && stamp.lines != nullptr)
    atomicAdd(&stamp.lines[stamp.here].nanoseconds, nanoseconds());
}

// True iff 0 ≤ value < limit; otherwise the first to see it reports it.
__device__ __forceinline__ bool in_range(int32_t value, uint32_t limit, FailedCheck what, const Stamp& stamp,
                                         KernelFailure* failure) {
  if (value >= 0 && static_cast<uint32_t>(value) < limit) return true;
  if (atomicCAS_system(&failure->check, 0u, static_cast<uint32_t>(what)) == 0u) {
    failure->line = stamp.here;
    failure->got = value;
    failure->limit = limit;
  }
  return false;
}

template <class T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

__device__ __forceinline__ float warp_max(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, offset));
  return value;
}

// Over all threads of a block of whole warps, at most 32; every thread gets the result. `shared` has 32
// floats.
template <class Combine>
__device__ __forceinline__ float block_reduce(float value, float neutral, float* shared, Combine&& combine) {
  value = combine(value);
  const unsigned warp = threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  __syncthreads();
  if (lane == 0) shared[warp] = value;
  __syncthreads();
  value = lane < blockDim.x / 32 ? shared[lane] : neutral;
  return combine(value);
}
__device__ __forceinline__ float block_sum(float value, float* shared) {
  return block_reduce(value, 0.0f, shared, [](float x) { return warp_sum(x); });
}
__device__ __forceinline__ float block_max(float value, float* shared) {
  return block_reduce(value, -INFINITY, shared, [](float x) { return warp_max(x); });
}

// The slot of a row, found by its sequence; −1 if the row belongs to none or an index is wrong.
__device__ __forceinline__ int32_t slot_of_row(const Pages& pages, uint32_t row, const Stamp& stamp,
                                               KernelFailure* failure) {
  uint32_t low = 0;
  uint32_t high = pages.sequences;
  while (low < high) {  // the first sequence that ends after the row
    const uint32_t middle = (low + high) / 2;
    if (pages.row_starts[middle + 1] > static_cast<int32_t>(row)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (low >= pages.sequences || pages.row_starts[low] > static_cast<int32_t>(row)) return -1;
  if (!in_range(pages.row_starts[low + 1] - 1, pages.rows, FailedCheck::row_starts, stamp, failure))
    return -1;
  const int32_t slot = pages.sequence_slots[low];
  return in_range(slot, pages.slots, FailedCheck::sequence_slots, stamp, failure) ? slot : -1;
}

// The same by a whole warp: up to 32 sequences are looked at side by side instead of one after another.
__device__ __forceinline__ int32_t slot_of_row_by_warp(const Pages& pages, uint32_t row, const Stamp& stamp,
                                                       KernelFailure* failure) {
  if (pages.sequences > 32) return slot_of_row(pages, row, stamp, failure);
  const uint32_t lane = threadIdx.x % 32;
  int32_t first = 0;
  int32_t end = 0;
  int32_t slot = -1;
  if (lane < pages.sequences) {
    first = pages.row_starts[lane];
    end = pages.row_starts[lane + 1];
    slot = pages.sequence_slots[lane];
  }
  const bool here = first <= static_cast<int32_t>(row) && static_cast<int32_t>(row) < end;
  const uint32_t votes = __ballot_sync(~0u, here);
  if (votes == 0) return -1;
  const int source = __ffs(votes) - 1;
  slot = __shfl_sync(~0u, slot, source);
  end = __shfl_sync(~0u, end, source);
  if (!in_range(end - 1, pages.rows, FailedCheck::row_starts, stamp, failure)) return -1;
  return in_range(slot, pages.slots, FailedCheck::sequence_slots, stamp, failure) ? slot : -1;
}

// The element at which a page begins in the caches; ~0 if its number is wrong.
__device__ __forceinline__ uint64_t place_of_page(const Pages& pages, int32_t page, uint32_t head,
                                                  const Stamp& stamp, KernelFailure* failure) {
  if (!in_range(page, pages.pages, FailedCheck::page_table, stamp, failure)) return ~0ull;
  return (static_cast<uint64_t>(page) * pages.kv_heads + head) * kPageTokens * pages.width;
}

// The element at which a token of a slot begins in the caches; ~0 if an index is wrong.
__device__ __forceinline__ uint64_t place_of_token(const Pages& pages, int32_t slot, uint32_t position,
                                                   uint32_t head, const Stamp& stamp,
                                                   KernelFailure* failure) {
  const int32_t page =
      pages.page_table[static_cast<uint64_t>(slot) * pages.pages_a_slot + position / kPageTokens];
  const uint64_t begin = place_of_page(pages, page, head, stamp, failure);
  return begin == ~0ull ? begin : begin + position % kPageTokens * pages.width;
}

// Cosine and sine by which a pair is turned at a position; its frequency comes as two floats. In float64: an
// angle of 100,000 radians keeps its digits. As a multiple of π it needs no code for large angles, which
// would be the call of a function.
__device__ __forceinline__ float2 turn_of(int32_t position, float2 frequency) {
  constexpr double kOverPi = 0.31830988618379067154;
  double sine;
  double cosine;
  sincospi(position * ((static_cast<double>(frequency.x) + static_cast<double>(frequency.y)) * kOverPi),
           &sine, &cosine);
  return make_float2(static_cast<float>(cosine), static_cast<float>(sine));
}

__device__ __forceinline__ bool position_of_row(const Pages& pages, uint32_t row, const Stamp& stamp,
                                                KernelFailure* failure, uint32_t& position) {
  const int32_t at = pages.positions[row];
  if (!in_range(at, pages.pages_a_slot * 64, FailedCheck::positions, stamp, failure)) return false;
  position = static_cast<uint32_t>(at);
  return true;
}

}  // namespace linnet::cuda
