// Ops that touch each number once, four numbers a thread: prompts of many rows are as fast as memory then.
#pragma once

#include "backends/cuda/kernels/activate.cuh"
#include "backends/cuda/kernels/launch.cuh"

namespace linnet::cuda {

__device__ __forceinline__ float4 gated_four(ActivationKind kind, const float4& gate, const float4& value) {
  return {activate(kind, gate.x) * value.x, activate(kind, gate.y) * value.y,
          activate(kind, gate.z) * value.z, activate(kind, gate.w) * value.w};
}

// Two pairs that lie side by side, each with its cosine and sine.
__device__ __forceinline__ float4 turned(const float4& pairs, const float4& angles) {
  return {pairs.x * angles.x - pairs.y * angles.y, pairs.x * angles.y + pairs.y * angles.x,
          pairs.z * angles.z - pairs.w * angles.w, pairs.z * angles.w + pairs.w * angles.z};
}

// Four numbers whose partners lie elsewhere; `second` in their pairs or first. Angles of two pairs each.
__device__ __forceinline__ float4 turned(const float4& x, const float4& partner, const float4& one,
                                         const float4& two, bool second) {
  const auto turn = [&](float own, float other, float cosine, float sine) {
    return second ? other * sine + own * cosine : own * cosine - other * sine;
  };
  return {turn(x.x, partner.x, one.x, one.y), turn(x.y, partner.y, one.z, one.w),
          turn(x.z, partner.z, two.x, two.y), turn(x.w, partner.w, two.z, two.w)};
}

}  // namespace linnet::cuda
