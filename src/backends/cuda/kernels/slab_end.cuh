// How a slab ends: sums become outputs, in registers. Nothing here is more general than a kind needs: while a
// warp ends a tile, the matrix units wait for it.
#pragma once

#include "backends/cuda/kernels/activate.cuh"
#include "backends/cuda/kernels/eights.cuh"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/slab_work.cuh"
#include "backends/cuda/kernels/stage_end.cuh"

namespace linnet::cuda {

// What a thread has of a tile: of two rows of x, `row` and the eighth below it, two neighbours in every eight
// columns; the last 16 such pairs belong to the second tile of the weight.
struct SlabPart {
  uint32_t row;
  uint32_t first;   // row of the weight at which its columns begin, in the first tile
  uint32_t second;  // and in the second
  __device__ __forceinline__ SlabPart(const SlabTiles& tiles, const SlabPlan& plan)
      : row(tiles.row(plan) + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4),
        first(tiles.column(plan) + 2 * (threadIdx.x % 4)),
        second(first + plan.second) {}
  [[nodiscard]] __device__ __forceinline__ uint32_t column(uint32_t j) const {
    constexpr uint32_t kInTile = kSlabRows / 8;
    return j < kInTile ? first + 8 * j : second + 8 * (j - kInTile);
  }
};

__device__ __forceinline__ void add_bias(const float* bias, const SlabPart& part, float (&sums)[kSlabSums]) {
#pragma unroll
  for (uint32_t j = 0; j < kSlabSums / 4; ++j) {
    const float one = bias[part.column(j)];
    const float two = bias[part.column(j) + 1];
    sums[4 * j] += one;
    sums[4 * j + 1] += two;
    sums[4 * j + 2] += one;
    sums[4 * j + 3] += two;
  }
}

__device__ __forceinline__ std::byte* row_of(const Tensor& out, uint32_t row, uint32_t rows) {
  return row < rows ? out.data + uint64_t{2} * row * out.stride : nullptr;
}
__device__ __forceinline__ std::byte* from_column(std::byte* row, uint32_t column) {
  return row != nullptr ? row + uint64_t{2} * column : nullptr;
}

// As activate() to within some units of the last place, which is little beside what sums are off by.
template <ActivationKind kActivation>
__device__ __forceinline__ float activate_quickly(float x) {
  if constexpr (kActivation != ActivationKind::silu) return activate(kActivation, x);
  float power;
  float share;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x * -1.4426950408889634f));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(share) : "f"(1.0f + power));
  return x * share;
}

// The first tile of the weight are gates, the second what they are multiplied with.
template <ActivationKind kActivation>
struct SlabGated {
  __device__ __forceinline__ static void end(const StageArgs& stage, const SlabPart& part, const uint64_t*,
                                             const float (&sums)[kSlabSums]) {
    constexpr uint32_t kGates = kSlabSums / 2;
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      std::byte* out = row_of(stage.out, part.row + 8 * half, stage.rows);
#pragma unroll
      for (uint32_t j = 0; j < kSlabRows / 8; j += 4) {
        uint32_t two[4];
#pragma unroll
        for (uint32_t i = 0; i < 4; ++i) {
          const uint32_t at = 4 * (j + i) + 2 * half;
          two[i] = as_bf16(activate_quickly<kActivation>(sums[at]) * sums[kGates + at],
                           activate_quickly<kActivation>(sums[at + 1]) * sums[kGates + at + 1]);
        }
        store_groups(from_column(out, part.first - 2 * (threadIdx.x % 4) + 8 * j), two);
      }
    }
  }
};

struct SlabAdd {
  __device__ __forceinline__ static void end(const StageArgs& stage, const SlabPart& part, const uint64_t*,
                                             const float (&sums)[kSlabSums]) {
    constexpr uint32_t kAtOnce = 8;  // loads on their way
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      const uint64_t row = part.row + 8 * half;
      if (row >= stage.rows) continue;
      const auto* residual =
          reinterpret_cast<const float*>(stage.residual.data) + row * stage.residual.stride;
      auto* out = reinterpret_cast<float*>(stage.out.data) + row * stage.out.stride;
#pragma unroll
      for (uint32_t j = 0; j < kSlabSums / 4; j += kAtOnce) {
        float2 added[kAtOnce];
#pragma unroll
        for (uint32_t i = 0; i < kAtOnce; ++i)
          added[i] = *reinterpret_cast<const float2*>(residual + part.column(j + i));
#pragma unroll
        for (uint32_t i = 0; i < kAtOnce; ++i) {
          const uint32_t at = 4 * (j + i) + 2 * half;
          *reinterpret_cast<float2*>(out + part.column(j + i)) =
              make_float2(sums[at] + added[i].x, sums[at + 1] + added[i].y);
        }
      }
    }
  }
};

// Where a head of a row goes; null for nowhere.
__device__ __forceinline__ std::byte* head_of_row(const StageArgs& stage, uint32_t head, uint32_t width,
                                                  uint32_t row, uint64_t place) {
  if (head < stage.heads) return from_column(row_of(stage.out, row, stage.rows), head * width);
  if (row >= stage.rows || place == ~0ull) return nullptr;
  const bool key = head < stage.heads + stage.pages.kv_heads;
  const uint32_t kv_head = head - stage.heads - (key ? 0 : stage.pages.kv_heads);
  return (key ? stage.k_cache : stage.v_cache) + 2 * (place + uint64_t{kv_head} * kPageTokens * width);
}

__device__ __forceinline__ void turn_pair(float& x, float& y, float cosine, float sine) {
  const float before = x;
  x = before * cosine - y * sine;
  y = before * sine + y * cosine;
}

// Heads one after another: of queries, of keys, of values.
template <uint32_t kWidth, RopePairs kPairs>
struct SlabRope {
  static constexpr uint32_t kInHead = kWidth / 8;

  __device__ __forceinline__ static void end(const StageArgs& stage, const SlabPart& part,
                                             const uint64_t* places, float (&sums)[kSlabSums]) {
    const uint32_t heads = stage.heads + stage.pages.kv_heads;  // that are turned
    const uint32_t first = (part.first - 2 * (threadIdx.x % 4)) / kWidth;
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      const uint32_t row = part.row + 8 * half;
      const auto* angles = reinterpret_cast<const float*>(stage.angles.data) +
                           uint64_t{min(row, stage.rows - 1)} * stage.angles.stride;
      const uint64_t place = places[row % kSlabRows];
#pragma unroll
      for (uint32_t i = 0; i < 2 * kSlabRows / kWidth; ++i) {
        if (first + i < heads) turn(angles, 4 * kInHead * i + 2 * half, sums);
        std::byte* to = head_of_row(stage, first + i, kWidth, row, place);
#pragma unroll
        for (uint32_t j = 0; j < kInHead; j += 4) {
          uint32_t two[4];
#pragma unroll
          for (uint32_t n = 0; n < 4; ++n) {
            const uint32_t at = 4 * (kInHead * i + j + n) + 2 * half;
            two[n] = as_bf16(sums[at], sums[at + 1]);
          }
          store_groups(from_column(to, 8 * j), two);
        }
      }
    }
  }

 private:
  // Numbers of one head and row, of which the first are at `at`.
  __device__ __forceinline__ static void turn(const float* angles, uint32_t at, float (&sums)[kSlabSums]) {
    const uint32_t column = 2 * (threadIdx.x % 4);
    if constexpr (kPairs == RopePairs::adjacent) {
#pragma unroll
      for (uint32_t j = 0; j < kInHead; ++j) {
        const float2 angle = *reinterpret_cast<const float2*>(angles + 8 * j + column);
        turn_pair(sums[at + 4 * j], sums[at + 4 * j + 1], angle.x, angle.y);
      }
    } else {
#pragma unroll
      for (uint32_t j = 0; j < kInHead / 2; ++j) {
        const float4 angle = *reinterpret_cast<const float4*>(angles + 2 * (8 * j + column));
        const uint32_t partner = at + 4 * (j + kInHead / 2);
        turn_pair(sums[at + 4 * j], sums[partner], angle.x, angle.y);
        turn_pair(sums[at + 4 * j + 1], sums[partner + 1], angle.z, angle.w);
      }
    }
  }
};

}  // namespace linnet::cuda
