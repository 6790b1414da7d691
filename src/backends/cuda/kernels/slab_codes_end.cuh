// How a slab of codes ends: sums become outputs, in registers.
#pragma once

#include "backends/cuda/kernels/slab_codes_work.cuh"
#include "backends/cuda/kernels/slab_end.cuh"

namespace linnet::cuda {

// What a thread has of a tile: one pair of the weight's rows, for two rows of x that are neighbours in every
// eight. sums[4 j] and sums[4 j + 1] are those of the pair's first row, the next two of its second.
template <uint32_t kSums>
struct CodePart {
  uint32_t begin;  // first row of x of the tile
  uint32_t unit;   // first pair of the group
  uint32_t pair;
  bool together;  // rows of a pair are neighbours
  float (&sums)[kSums];

  // Row of x: of sums[4 j] and sums[4 j + 2]; the next one is that of the others.
  [[nodiscard]] __device__ __forceinline__ uint32_t row(uint32_t j) const {
    return begin + 8 * j + 2 * (threadIdx.x % 4);
  }
  // Eight lanes have eight pairs of two rows of x; transposed() gives each two neighbouring pairs of one row.
  [[nodiscard]] __device__ __forceinline__ uint32_t transposed_row(uint32_t j) const {
    return begin + 8 * j + threadIdx.x % 32 / 4;
  }
  [[nodiscard]] __device__ __forceinline__ uint32_t transposed_pair() const {
    return unit + threadIdx.x % 128 / 32 * 8 + 2 * (threadIdx.x % 4);
  }
};

__device__ __forceinline__ uint32_t transposed(uint32_t two) {
  uint32_t other;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(other) : "r"(two));
  return other;
}

// Sums of the pair's second row come first where a thread has them so.
template <uint32_t kSums>
__device__ __forceinline__ void put_first_rows_first(bool turned, float (&sums)[kSums]) {
#pragma unroll
  for (uint32_t i = 0; i < kSums; i += 4) {
#pragma unroll
    for (uint32_t n = i; n < i + 2; ++n) {
      const float first = sums[n];
      sums[n] = turned ? sums[n + 2] : first;
      sums[n + 2] = turned ? first : sums[n + 2];
    }
  }
}

template <uint32_t kSums>
__device__ __forceinline__ void add_bias(const float* bias, const Pair& pair, float (&sums)[kSums]) {
  const float first = bias[pair.first];
  const float second = bias[pair.second];
#pragma unroll
  for (uint32_t i = 0; i < kSums; ++i) sums[i] += i % 4 < 2 ? first : second;
}

template <uint32_t kSums>
__device__ __forceinline__ void end_add(const StageArgs& stage, const CodePart<kSums>& part) {
  constexpr uint32_t kAtOnce = 4;  // pairs of loads on their way
  const auto floats = [&](const Tensor& tensor, uint32_t row) {
    return reinterpret_cast<float2*>(reinterpret_cast<float*>(tensor.data) + row * tensor.stride) + part.pair;
  };
#pragma unroll
  for (uint32_t j = 0; j < kSums / 4; j += kAtOnce) {
    float2 added[kAtOnce][2];
#pragma unroll
    for (uint32_t i = 0; i < 2 * kAtOnce; ++i) {
      const uint32_t row = part.row(j + i / 2) + i % 2;
      added[i / 2][i % 2] = row < stage.rows ? *floats(stage.residual, row) : float2{};
    }
#pragma unroll
    for (uint32_t i = 0; i < 2 * kAtOnce; ++i) {
      const uint32_t row = part.row(j + i / 2) + i % 2;
      const uint32_t at = 4 * (j + i / 2) + i % 2;
      const float2 residual = added[i / 2][i % 2];
      if (row < stage.rows)
        *floats(stage.out, row) = make_float2(part.sums[at] + residual.x, part.sums[at + 2] + residual.y);
    }
  }
}

template <ActivationKind kActivation, uint32_t kSums>
__device__ __forceinline__ void activate_gates(float (&sums)[kSums]) {
#pragma unroll
  for (uint32_t i = 0; i < kSums; i += 4) {
    sums[i] = activate_quickly<kActivation>(sums[i]);
    sums[i + 1] = activate_quickly<kActivation>(sums[i + 1]);
  }
}

template <uint32_t kSums>
__device__ __forceinline__ void end_gated(const StageArgs& stage, const CodePart<kSums>& part) {
  float(&sums)[kSums] = part.sums;
  switch (stage.activation) {
    case ActivationKind::silu:
      activate_gates<ActivationKind::silu>(sums);
      break;
    case ActivationKind::gelu:
      activate_gates<ActivationKind::gelu>(sums);
      break;
    case ActivationKind::gelu_tanh:
      activate_gates<ActivationKind::gelu_tanh>(sums);
      break;
  }
#pragma unroll
  for (uint32_t j = 0; j < kSums / 4; ++j) {
    const uint32_t two =
        transposed(as_bf16(sums[4 * j] * sums[4 * j + 2], sums[4 * j + 1] * sums[4 * j + 3]));
    std::byte* out = row_of(stage.out, part.transposed_row(j), stage.rows);
    if (out != nullptr) *reinterpret_cast<uint32_t*>(from_column(out, part.transposed_pair())) = two;
  }
}

// Two neighbours of a head.
__device__ __forceinline__ void store_in_head(const StageArgs& stage, uint32_t head, uint32_t element,
                                              uint32_t row, uint64_t place, uint32_t two) {
  std::byte* to = head_of_row(stage, head, stage.pages.width, row, place);
  if (to != nullptr) *reinterpret_cast<uint32_t*>(from_column(to, element)) = two;
}

template <uint32_t kSums>
__device__ __forceinline__ void end_rope(const StageArgs& stage, const CodePart<kSums>& part,
                                         const Pair& pair, const uint64_t* places) {
  float(&sums)[kSums] = part.sums;
  const auto place_of = [&](uint32_t row) { return places[row - part.begin]; };
  if (pair.angle != ~0u) {
#pragma unroll
    for (uint32_t i = 0; i < kSums / 2; ++i) {
      const uint32_t row = min(part.row(i / 2) + i % 2, stage.rows - 1);
      const auto* angles = reinterpret_cast<const float*>(stage.angles.data) + row * stage.angles.stride;
      const float2 angle = reinterpret_cast<const float2*>(angles)[pair.angle];
      const uint32_t at = 4 * (i / 2) + i % 2;
      turn_pair(sums[at], sums[at + 2], angle.x, angle.y);
    }
  }
  if (part.together) {
#pragma unroll
    for (uint32_t i = 0; i < kSums / 2; ++i) {
      const uint32_t row = part.row(i / 2) + i % 2;
      const uint32_t at = 4 * (i / 2) + i % 2;
      store_in_head(stage, pair.head, pair.element, row, place_of(row), as_bf16(sums[at], sums[at + 2]));
    }
    return;
  }
  // All of a warp's pairs are of one head, and so are their elements beside each other.
  const uint32_t to_first = 2 * (threadIdx.x % 4) - threadIdx.x % 32 / 4;
#pragma unroll
  for (uint32_t j = 0; j < kSums / 4; ++j) {
    const uint32_t row = part.transposed_row(j);
    const uint64_t place = place_of(row);
    store_in_head(stage, pair.head, pair.element + to_first, row, place,
                  transposed(as_bf16(sums[4 * j], sums[4 * j + 1])));
    store_in_head(stage, pair.head, pair.second_element + to_first, row, place,
                  transposed(as_bf16(sums[4 * j + 2], sums[4 * j + 3])));
  }
}

template <StageArgs::Kind kKind, uint32_t kSums>
__device__ __forceinline__ void end_codes(const StageArgs& stage, uint32_t begin, uint32_t unit,
                                          const uint64_t* places, float (&sums)[kSums]) {
  const bool together = CodeBoxes::of<kKind>(stage, unit).together;
  const CodeRows rows(together);
  const CodePart<kSums> part{begin, unit, unit + rows.pair, together, sums};
  const Pair pair = pair_of<kKind>(stage, part.pair);
  put_first_rows_first(rows.turned, sums);
  if (stage.bias != nullptr) add_bias(stage.bias, pair, sums);
  if constexpr (kKind == StageArgs::Kind::add) end_add(stage, part);
  if constexpr (kKind == StageArgs::Kind::gated) end_gated(stage, part);
  if constexpr (kKind == StageArgs::Kind::rope_and_store) end_rope(stage, part, pair, places);
}

}  // namespace linnet::cuda
