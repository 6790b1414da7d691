// How a panel ends: sums become outputs.
#pragma once

#include "backends/cuda/kernels/panel.h"
#include "backends/cuda/kernels/stage_end.cuh"

namespace linnet::cuda {

// What the norm before a stage makes of the sums of a row.
__device__ __forceinline__ float scale_of(const PanelNorm& norm, uint32_t row, uint32_t columns) {
  const auto* parts = reinterpret_cast<const float4*>(norm.squares + row * PanelNorm::kMostParts);
  float squares = 0;
#pragma unroll 8
  for (uint32_t i = 0; i < (norm.parts + 3) / 4; ++i) {
    const float4 four = parts[i];
    squares += four.x + four.y + four.z + four.w;
  }
  return 1.0f / sqrtf(squares / static_cast<float>(columns) + norm.epsilon);
}

// Two pairs of outputs in one row of x: what a thread ends at once.
struct PanelEnd {
  uint32_t row;    // of x
  uint32_t pair;   // the first
  float4 added;    // to their four sums
  float4 factors;  // weights of the norm that follows; cosine and sine of both pairs
};

// Nothing here is more general than a kind needs: a block runs through it once, and waits for each line of
// its instructions.
template <StageArgs::Kind kKind>
struct PanelEnding {
  const StageArgs& stage;
  const PanelNorm& norm;

  // What is known before the sums are.
  __device__ __forceinline__ PanelEnd prepare(uint32_t row, uint32_t pair) const {
    PanelEnd end{row, pair, {0, 0, 0, 0}, {0, 0, 0, 0}};
    if constexpr (kKind == StageArgs::Kind::add) {
      end.added = *reinterpret_cast<const float4*>(floats_of(stage.residual, row) + 2 * pair);
      if (norm.weight != nullptr) end.factors = *reinterpret_cast<const float4*>(norm.weight + 2 * pair);
    } else if constexpr (kKind == StageArgs::Kind::rope_and_store) {
      const float2 one = turn_of(stage, pair_of(pair), row);
      const float2 two = turn_of(stage, pair_of(pair + 1), row);
      end.factors = {one.x, one.y, two.x, two.y};
    }
    if (stage.bias != nullptr) {
      const Pair one = pair_of(pair);
      const Pair two = pair_of(pair + 1);
      end.added.x += stage.bias[one.first];
      end.added.y += stage.bias[one.second];
      end.added.z += stage.bias[two.first];
      end.added.w += stage.bias[two.second];
    }
    return end;
  }

  // The sum of the outputs' squares. `scale` is that of a norm before, `place` that of keys and values.
  __device__ __forceinline__ float finish(const PanelEnd& end, float4 sum, float scale,
                                          uint64_t place) const {
    if constexpr (kKind == StageArgs::Kind::add) {
      sum = {sum.x + end.added.x, sum.y + end.added.y, sum.z + end.added.z, sum.w + end.added.w};
      *reinterpret_cast<float4*>(floats_of(stage.out, end.row) + 2 * end.pair) = sum;
      if (norm.weight == nullptr) return 0;
      auto* scaled = reinterpret_cast<__nv_bfloat162*>(norm.scaled) +
                     (uint64_t{end.row} * stage.weight.rows + 2 * end.pair) / 2;
      scaled[0] = __floats2bfloat162_rn(sum.x * end.factors.x, sum.y * end.factors.y);
      scaled[1] = __floats2bfloat162_rn(sum.z * end.factors.z, sum.w * end.factors.w);
      return sum.x * sum.x + sum.y * sum.y + sum.z * sum.z + sum.w * sum.w;
    }
    sum = {sum.x * scale + end.added.x, sum.y * scale + end.added.y, sum.z * scale + end.added.z,
           sum.w * scale + end.added.w};
    if constexpr (kKind == StageArgs::Kind::gated) {
      store_two(stage.out, end.row, end.pair, activate(stage.activation, sum.x) * sum.y,
                activate(stage.activation, sum.z) * sum.w);
    } else if constexpr (kKind == StageArgs::Kind::rope_and_store) {
#pragma unroll 1
      for (uint32_t i = 0; i < 2; ++i) {
        finish_rope(
            stage, pair_of(end.pair + i), end.row,
            i == 0 ? make_float2(end.factors.x, end.factors.y) : make_float2(end.factors.z, end.factors.w),
            i == 0 ? sum.x : sum.z, i == 0 ? sum.y : sum.w, place);
      }
    }
    return 0;
  }

 private:
  [[nodiscard]] __device__ __forceinline__ Pair pair_of(uint32_t p) const {
    return linnet::cuda::pair_of<kKind>(stage, p);
  }
  [[nodiscard]] __device__ __forceinline__ static float* floats_of(const Tensor& tensor, uint32_t row) {
    return reinterpret_cast<float*>(tensor.data) + row * tensor.stride;
  }
};

}  // namespace linnet::cuda
