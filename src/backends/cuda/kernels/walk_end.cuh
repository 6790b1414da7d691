// The end of a stage in the walk: the warps' sums of each unit become outputs.
#pragma once

#include "backends/cuda/kernels/activate.cuh"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// Biases of this block's rows, asked for before x is there.
__device__ __forceinline__ void take_bias(const WalkStage& stage, const WalkArgs& args, const Share& share,
                                          WalkShared& shared) {
  if (stage.bias == nullptr) return;
  for (uint32_t i = threadIdx.x; i < (share.end - share.first) * kUnitRows; i += kWalkThreads) {
    const UnitRows rows = rows_of_unit(stage.kind, stage.n, share.first + i / kUnitRows, args);
    const uint32_t row = i % kUnitRows;
    shared.bias[i] = __ldg(stage.bias + (row < 4 ? rows.low + row : rows.high + row - 4));
  }
}

// Four lanes have a pair of rows that belong together.
struct WalkPair {
  bool here;
  uint32_t place;  // of the first among the rows of this block's units
  uint32_t apart;  // of the second from it
  uint32_t first;  // rows of the weight
  uint32_t second;

  __device__ __forceinline__ WalkPair(const WalkStage& stage, const WalkArgs& args, const Share& share) {
    const uint32_t unit = threadIdx.x / 16;
    const uint32_t pair = threadIdx.x / 4 % 4;
    here = share.first + unit < share.end;
    const UnitRows rows = rows_of_unit(stage.kind, stage.n, share.first + unit, args);
    const uint32_t row = rows.halves ? pair : 2 * pair;
    apart = rows.halves ? 4 : 1;
    place = unit * kUnitRows + row;
    first = row < 4 ? rows.low + row : rows.high + row - 4;
    second = rows.halves ? rows.high + pair : first + 1;
  }

  // The whole sum of both rows, in all four lanes; leaves zeros for the next stage.
  __device__ __forceinline__ float2 take_sums(WalkShared& shared) const {
    float2 sum = make_float2(0, 0);
    if (here) {
      float* all = shared.sums + place / kUnitRows * (kWalkWarps * kUnitRows) + place % kUnitRows;
#pragma unroll
      for (uint32_t i = 0; i < kWalkWarps / 4; ++i) {
        float* mine = all + (threadIdx.x % 4 * (kWalkWarps / 4) + i) * kUnitRows;
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
  const uint32_t head = pair.first >> args.width_shift;
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

__device__ __forceinline__ void end_stage(const WalkStage& stage, const WalkArgs& args, const Share& share,
                                          float scale, uint32_t run, WalkShared& shared) {
  const WalkPair pair(stage, args, share);
  const float2 sums = pair.take_sums(shared);
  if (!pair.here || threadIdx.x % 4 != 0) return;
  float first = sums.x * scale;
  float second = sums.y * scale;
  if (stage.bias != nullptr) {
    first += shared.bias[pair.place];
    second += shared.bias[pair.place + pair.apart];
  }
  const uint32_t tag = run * args.uses + stage.out_use;
  uint32_t* out = args.words + stage.out;
  switch (stage.kind) {
    case WalkStage::Kind::gated:
      put_word(out + pair.first, activate(stage.activation, first) * second, tag);
      return;
    case WalkStage::Kind::rope_and_store:
      end_rope(stage, args, pair, first, second, out, tag, shared);
      return;
    case WalkStage::Kind::add: {
      const bool outside = stage.residual != nullptr;
      first += outside ? stage.residual[pair.first] : shared.residual[pair.place];
      second += outside ? stage.residual[pair.second] : shared.residual[pair.place + pair.apart];
      put_word(out + pair.first, first, tag);
      put_word(out + pair.second, second, tag);
      shared.residual[pair.place] = first;
      shared.residual[pair.place + pair.apart] = second;
      return;
    }
    default:
      stage.plain_out[pair.first] = first;
      stage.plain_out[pair.second] = second;
  }
}

}  // namespace linnet::cuda
