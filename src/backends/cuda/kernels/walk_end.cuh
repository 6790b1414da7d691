// The end of a stage in the walk: the warps' sums of each unit become outputs.
#pragma once

#include "backends/cuda/kernels/activate.cuh"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// Four lanes have a pair of rows that belong together.
struct WalkPair {
  bool here;
  uint32_t place;  // of the first among the rows of this block's units
  uint32_t apart;  // of the second from it
  uint32_t first;  // rows of the weight
  uint32_t second;
  float2 add;  // to the sums: biases and residuals, asked for before x is there

  __device__ __forceinline__ WalkPair(const WalkStage& stage, const Share& share, const WalkShared& shared) {
    const uint32_t unit = threadIdx.x / 16;
    const uint32_t pair = threadIdx.x / 4 % 4;
    here = share.first + unit < share.end;
    add = make_float2(0, 0);
    if (!here) return;
    const UnitRows rows = rows_of_unit(stage.shift, stage.half, stage.paired, share.first + unit);
    apart = rows.halves ? 4 : 1;
    place = unit * kUnitRows + (rows.halves ? pair : 2 * pair);
    // Rows behind the last are that one again, and what comes out is written twice.
    first = min(rows.low + (rows.halves ? pair : 2 * pair), stage.n - 1);
    second = min(rows.halves ? rows.high + pair : first + 1, stage.n - 1);
    if (stage.bias != nullptr) add = make_float2(__ldg(stage.bias + first), __ldg(stage.bias + second));
    if (stage.kind != WalkStage::Kind::add) return;
    const bool outside = stage.residual != nullptr;
    add.x += outside ? stage.residual[first] : shared.residual[place];
    add.y += outside ? stage.residual[second] : shared.residual[place + apart];
  }

  // The whole sum of both rows, in all four lanes; leaves zeros for the next stage.
  __device__ __forceinline__ float2 take_sums(WalkShared& shared) const {
    float2 sum = make_float2(0, 0);
    if (here) {
      auto* rows = reinterpret_cast<float4*>(shared.sums) + place / kUnitRows * (kWalkWarps * kUnitRows / 4) +
                   threadIdx.x % 4 * kUnitRows + place % kUnitRows;
      const float4 one = rows[0];
      const float4 other = rows[apart];
      rows[0] = make_float4(0, 0, 0, 0);
      rows[apart] = make_float4(0, 0, 0, 0);
      sum = make_float2((one.x + one.y) + (one.z + one.w), (other.x + other.y) + (other.z + other.w));
    }
#pragma unroll
    for (int offset = 1; offset < 4; offset *= 2) {
      sum.x += __shfl_xor_sync(~0u, sum.x, offset);
      sum.y += __shfl_xor_sync(~0u, sum.y, offset);
    }
    return sum;
  }
};

__device__ __forceinline__ float scale_of_norm(const WalkStage& stage, const WalkShared& shared) {
  float squares = 0;
#pragma unroll
  for (uint32_t i = 0; i < kWalkWarps / 4; ++i) {
    const float4 four = reinterpret_cast<const float4*>(shared.squares)[i];
    squares += (four.x + four.y) + (four.z + four.w);
  }
  return rsqrtf(squares * stage.inverse_k + stage.epsilon);
}

// What most models have in fewer instructions.
__device__ __forceinline__ float activate_gate(ActivationKind kind, float x) {
  return kind == ActivationKind::silu ? __fdividef(x, 1.0f + __expf(-x)) : activate(kind, x);
}

// Queries and keys are turned; keys and values also go into the caches, for later runs.
__device__ __forceinline__ void turn_and_store(const WalkStage& stage, const WalkArgs& args,
                                               const WalkPair& pair, float& first, float& second,
                                               const WalkShared& shared) {
  const uint32_t width = args.pages.width;
  const uint32_t head = pair.first >> args.width_shift;
  const uint32_t element = pair.first - head * width;
  const bool value = head >= args.heads + args.pages.kv_heads;
  const uint32_t angle = args.pairs == RopePairs::halves ? element : element / 2;
  if (!value && angle < args.rope_pairs) {
    const float2 turn = reinterpret_cast<const float2*>(shared.angles)[angle];
    const float x = first;
    first = x * turn.x - second * turn.y;
    second = x * turn.y + second * turn.x;
  }
  if (head < args.heads || shared.place == ~0ull) return;
  const uint32_t kv_head = head - args.heads - (value ? args.pages.kv_heads : 0);
  auto* cache = reinterpret_cast<__nv_bfloat16*>(value ? stage.v_cache : stage.k_cache) + shared.place +
                uint64_t{kv_head} * 64 * width + element;
  cache[0] = __float2bfloat16_rn(first);
  cache[pair.second - pair.first] = __float2bfloat16_rn(second);
}

__device__ __forceinline__ void end_stage(const WalkStage& stage, const WalkArgs& args, const WalkPair& pair,
                                          uint32_t run, WalkShared& shared) {
  const float2 sums = pair.take_sums(shared);
  if (!pair.here || threadIdx.x % 4 != 0) return;
  const float scale = stage.norm != nullptr ? scale_of_norm(stage, shared) : 1.0f;
  float first = sums.x * scale + pair.add.x;
  float second = sums.y * scale + pair.add.y;
  if (stage.kind == WalkStage::Kind::linear) {
    stage.plain_out[pair.first] = first;
    stage.plain_out[pair.second] = second;
    return;
  }
  const uint32_t tag = run * args.uses + stage.out_use;
  uint32_t* out = args.words + stage.out;
  if (stage.kind == WalkStage::Kind::gated) {
    put_word(out + pair.first, activate_gate(stage.activation, first) * second, tag);
    return;
  }
  if (stage.kind == WalkStage::Kind::add) {
    shared.residual[pair.place] = first;
    shared.residual[pair.place + pair.apart] = second;
  } else {
    turn_and_store(stage, args, pair, first, second, shared);
  }
  put_word(out + pair.first, first, tag);
  put_word(out + pair.second, second, tag);
}

}  // namespace linnet::cuda
