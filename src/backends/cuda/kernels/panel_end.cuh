// How a panel ends: the sums of a cluster's blocks are added up, and become outputs.
#pragma once

#include "backends/cuda/kernels/stage_end.cuh"

namespace linnet::cuda {

// Two pairs of outputs in one row of x: what a thread ends at once.
struct PanelEnd {
  uint32_t row;   // of x
  uint32_t pair;  // the first
  float4 added;   // to their four sums
};

// Nothing here is more general than a kind needs: a block runs through it once, and waits for each line of
// its instructions.
template <StageArgs::Kind kKind>
struct PanelEnding {
  const StageArgs& stage;

  // What is known before the sums are.
  __device__ __forceinline__ PanelEnd prepare(uint32_t row, uint32_t pair) const {
    PanelEnd end{row, pair, {0, 0, 0, 0}};
    if constexpr (kKind == StageArgs::Kind::add) {
      end.added = *reinterpret_cast<const float4*>(floats_of(stage.residual, row) + 2 * pair);
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

  __device__ __forceinline__ void finish(const PanelEnd& end, float4 sum, const uint64_t* places) const {
    sum = {sum.x + end.added.x, sum.y + end.added.y, sum.z + end.added.z, sum.w + end.added.w};
    if constexpr (kKind == StageArgs::Kind::add) {
      *reinterpret_cast<float4*>(floats_of(stage.out, end.row) + 2 * end.pair) = sum;
    } else if constexpr (kKind == StageArgs::Kind::gated) {
      store_two(stage.out, end.row, end.pair, activate(stage.activation, sum.x) * sum.y,
                activate(stage.activation, sum.z) * sum.w);
    } else {
#pragma unroll 1
      for (uint32_t i = 0; i < 2; ++i) {
        finish_rope(stage, pair_of(end.pair + i), end.row, i == 0 ? sum.x : sum.z, i == 0 ? sum.y : sum.w,
                    places);
      }
    }
  }

  [[nodiscard]] __device__ __forceinline__ Pair pair_of(uint32_t p) const {
    return linnet::cuda::pair_of<kKind>(stage, p);
  }

 private:
  [[nodiscard]] __device__ __forceinline__ static float* floats_of(const Tensor& tensor, uint32_t row) {
    return reinterpret_cast<float*>(tensor.data) + row * tensor.stride;
  }
};

}  // namespace linnet::cuda
