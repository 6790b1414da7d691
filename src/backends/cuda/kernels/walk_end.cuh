// The end of a stage in the walk: the warps' sums of each unit become outputs.
#pragma once

#include "backends/cuda/kernels/activate.cuh"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// Four lanes have a pair of rows; which it is they know before the sums are there.
struct WalkPair {
  bool here = false;
  uint32_t at;  // in shared.sums: the first row for warp 0
  uint32_t apart;
  uint32_t first;  // rows of the weight
  uint32_t second;
  // Asked for early and used late: nothing waits for them in between.
  float bias_first = 0;
  float bias_second = 0;
  float residual_first = 0;
  float residual_second = 0;

  __device__ __forceinline__ WalkPair(const WalkStage& stage, const WalkArgs& args, const Share& share) {
    const uint32_t unit = threadIdx.x / 16;
    const uint32_t pair = threadIdx.x / 4 % 4;
    here = share.first + unit < share.end;
    if (!here) return;
    const UnitRows rows = rows_of_unit(stage.kind, stage.n, share.first + unit, args);
    const uint32_t row = rows.halves ? pair : 2 * pair;
    apart = rows.halves ? 4 : 1;
    at = unit * kWalkWarps * kUnitRows + row;
    first = row < 4 ? rows.low + row : rows.high + row - 4;
    second = rows.halves ? rows.high + pair : first + 1;
    if (threadIdx.x % 4 != 0) return;
    if (stage.bias != nullptr) {
      bias_first = __ldg(stage.bias + first);
      bias_second = __ldg(stage.bias + second);
    }
    if (stage.kind == WalkStage::Kind::add) {
      residual_first = stage.residual[first];
      residual_second = stage.residual[second];
    }
  }

  // The whole sum of both rows, in all four lanes; leaves zeros for the next stage.
  __device__ __forceinline__ float2 take_sums(WalkShared& shared) const {
    float2 sum = make_float2(0, 0);
    if (here) {
#pragma unroll
      for (uint32_t i = 0; i < kWalkWarps / 4; ++i) {
        float* mine = shared.sums + at + (threadIdx.x % 4 * (kWalkWarps / 4) + i) * kUnitRows;
        sum.x += mine[0];
        sum.y += mine[apart];
        mine[0] = 0;
        mine[apart] = 0;
      }
    }
#pragma unroll
    for (int offset = 1; offset < 4; offset *= 2) {
      sum.x += __shfl_xor_sync(~0u, sum.x, offset);
      sum.y += __shfl_xor_sync(~0u, sum.y, offset);
    }
    return sum;
  }
};

__device__ __forceinline__ void end_rope(const WalkStage& stage, const WalkArgs& args, const WalkPair& pair,
                                         float first, float second, uint32_t* out, uint32_t tag,
                                         const WalkShared& shared) {
  const uint32_t width = args.pages.width;
  const uint32_t head = pair.first / width;
  const uint32_t element = pair.first - head * width;
  const uint32_t other = pair.second - head * width;
  if (head < args.heads + args.pages.kv_heads) {
    const uint32_t angle = args.pairs == RopePairs::halves ? element : element / 2;
    if (angle < args.rope_pairs) {
      const float cosine = shared.angles[2 * angle];
      const float sine = shared.angles[2 * angle + 1];
      const float x = first;
      first = x * cosine - second * sine;
      second = x * sine + second * cosine;
    }
  }
  put_word(out + pair.first, first, tag);
  put_word(out + pair.second, second, tag);
  if (head < args.heads || shared.place == ~0ull) return;
  const bool key = head < args.heads + args.pages.kv_heads;
  const uint32_t kv_head = head - args.heads - (key ? 0 : args.pages.kv_heads);
  auto* cache = reinterpret_cast<__nv_bfloat16*>(key ? stage.k_cache : stage.v_cache) + shared.place +
                uint64_t{kv_head} * 64 * width;
  cache[element] = __float2bfloat16_rn(first);
  cache[other] = __float2bfloat16_rn(second);
}

__device__ __forceinline__ void end_stage(const WalkStage& stage, const WalkArgs& args, const WalkPair& pair,
                                          float scale, uint32_t run, WalkShared& shared) {
  const float2 sums = pair.take_sums(shared);
  if (!pair.here || threadIdx.x % 4 != 0) return;
  const float first = sums.x * scale + pair.bias_first + pair.residual_first;
  const float second = sums.y * scale + pair.bias_second + pair.residual_second;
  const uint32_t tag = run * args.uses + stage.out_use;
  uint32_t* out = args.words + stage.out;
  switch (stage.kind) {
    case WalkStage::Kind::gated:
      put_word(out + pair.first, activate(stage.activation, first) * second, tag);
      return;
    case WalkStage::Kind::rope_and_store:
      end_rope(stage, args, pair, first, second, out, tag, shared);
      return;
    default:
      if (stage.out != WalkStage::kNoWords) {
        put_word(out + pair.first, first, tag);
        put_word(out + pair.second, second, tag);
      }
      if (stage.plain_out != nullptr) {
        stage.plain_out[pair.first] = first;
        stage.plain_out[pair.second] = second;
      }
  }
}

}  // namespace linnet::cuda
