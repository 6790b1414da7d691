// The end of a stage in the walk: the warps' sums of each unit become outputs.
#pragma once

#include "backends/cuda/kernels/activate.cuh"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// What most models have in fewer instructions.
__device__ __forceinline__ float activate_gate(ActivationKind kind, float x) {
  return kind == ActivationKind::silu ? __fdividef(x, 1.0f + __expf(-x)) : activate(kind, x);
}

// Four lanes have a pair of rows that belong together. All that the end needs is asked for before x is there.
class WalkEnd {
 public:
  // Pieces of rows are the teams' in turn, from `first_team` on.
  __device__ __forceinline__ WalkEnd(const WalkStage& stage, const WalkArgs& args, const Share& share,
                                     uint32_t first_team, uint32_t pieces, const float* sums,
                                     const WalkShared& shared)
      : here_(share.first + threadIdx.x / 16 < share.end),
        kind_(stage.kind),
        activation_(stage.activation),
        normed_(stage.norm != nullptr),
        inverse_k_(stage.inverse_k),
        epsilon_(stage.epsilon),
        tag_(stage.out_use.in(shared.run)) {
    if (!here_) return;
    const uint32_t unit = threadIdx.x / 16;
    const uint32_t pair = threadIdx.x / 4 % 4;
    static_assert(kTeams == 4 && kTeamWarps == 4);  // each of four lanes takes the sums of one team
    summed_ = (threadIdx.x - first_team - unit * pieces) % kTeams < pieces;
    const UnitRows rows = rows_of_unit(stage.shift, stage.half, stage.paired, share.first + unit);
    apart_ = rows.halves ? 4 : 1;
    place_ = unit * kUnitRows + (rows.halves ? pair : 2 * pair);
    sums_ = reinterpret_cast<const float4*>(sums) + unit * (kWalkWarps * kUnitRows / 4) +
            threadIdx.x % 4 * kUnitRows + place_ % kUnitRows;
    // Rows behind the last are that one again, and what comes out is written twice.
    const uint32_t first = min(rows.low + (rows.halves ? pair : 2 * pair), stage.n - 1);
    const uint32_t second = min(rows.halves ? rows.high + pair : first + 1, stage.n - 1);
    between_ = second - first;
    out_ = (kind_ == WalkStage::Kind::linear ? reinterpret_cast<uint32_t*>(stage.plain_out)
                                             : args.words + stage.out) +
           (kind_ == WalkStage::Kind::gated ? first / 2 : first);
    if (stage.bias != nullptr) add_ = make_float2(__ldg(stage.bias + first), __ldg(stage.bias + second));
    if (kind_ == WalkStage::Kind::add) {
      const bool outside = stage.residual != nullptr;
      add_.x += outside ? stage.residual[first] : shared.residual[place_];
      add_.y += outside ? stage.residual[second] : shared.residual[place_ + apart_];
    }
    if (kind_ == WalkStage::Kind::rope_and_store) find_head(stage, args, first, shared);
  }

  // Sums become outputs.
  __device__ __forceinline__ void end(WalkShared& shared) const {
    const Sums sums = take_sums(shared);
    const float scale = normed_ ? rsqrtf(sums.squares * inverse_k_ + epsilon_) : 1.0f;
    float first = sums.first * scale + add_.x;
    float second = sums.second * scale + add_.y;
    if (kind_ == WalkStage::Kind::gated) {
      const float mine = activate_gate(activation_, first) * second;
      const float next = __shfl_down_sync(~0u, mine, 4);
      if (here_ && threadIdx.x % 8 == 0) put(out_, pair_of(mine, next, tag_));
      return;
    }
    if (!here_ || threadIdx.x % 4 != 0) return;
    if (kind_ == WalkStage::Kind::linear) {
      *reinterpret_cast<float*>(out_) = first;
      *reinterpret_cast<float*>(out_ + between_) = second;
    } else {
      if (turned_) {
        const float x = first;
        first = x * turn_.x - second * turn_.y;
        second = x * turn_.y + second * turn_.x;
      }
      put(out_, word_of(first, tag_));
      put(out_ + between_, word_of(second, tag_));
      if (kind_ == WalkStage::Kind::add) {
        shared.residual[place_] = first;
        shared.residual[place_ + apart_] = second;
      } else if (cache_ != nullptr) {
        cache_[0] = __float2bfloat16_rn(first);
        cache_[between_] = __float2bfloat16_rn(second);
      }
    }
  }

 private:
  // Queries and keys are turned; keys and values also go into the caches, for later runs.
  __device__ __forceinline__ void find_head(const WalkStage& stage, const WalkArgs& args, uint32_t row,
                                            const WalkShared& shared) {
    const uint32_t width = args.pages.width;
    const uint32_t head = row >> args.width_shift;
    const uint32_t element = row - head * width;
    const bool value = head >= args.heads + args.pages.kv_heads;
    const uint32_t angle = args.pairs == RopePairs::halves ? element : element / 2;
    turned_ = !value && angle < args.rope_pairs;
    if (turned_) turn_ = reinterpret_cast<const float2*>(shared.angles)[angle];
    if (head < args.heads || shared.place == ~0ull) return;
    const uint32_t kv_head = head - args.heads - (value ? args.pages.kv_heads : 0);
    cache_ = reinterpret_cast<__nv_bfloat16*>(value ? stage.v_cache : stage.k_cache) + shared.place +
             uint64_t{kv_head} * kPageTokens * width + element;
  }

  // The whole sums of both rows, and of the squares of x, in all four lanes.
  struct Sums {
    float first = 0;
    float second = 0;
    float squares = 0;
  };
  __device__ __forceinline__ Sums take_sums(const WalkShared& shared) const {
    const auto of_four = [](const float4& four) { return (four.x + four.y) + (four.z + four.w); };
    Sums sums;
    if (summed_) {
      sums.first = of_four(sums_[0]);
      sums.second = of_four(sums_[apart_]);
    }
    if (normed_) {
#pragma unroll
      for (uint32_t i = 0; i < kWalkWarps / 4; ++i)
        sums.squares += of_four(reinterpret_cast<const float4*>(shared.squares)[4 * i + threadIdx.x % 4]);
    }
#pragma unroll
    for (int offset = 1; offset < 4; offset *= 2) {
      sums.first += __shfl_xor_sync(~0u, sums.first, offset);
      sums.second += __shfl_xor_sync(~0u, sums.second, offset);
      sums.squares += __shfl_xor_sync(~0u, sums.squares, offset);
    }
    return sums;
  }

  bool here_;
  bool summed_ = false;  // the team of which this lane takes the sums has some
  WalkStage::Kind kind_;
  ActivationKind activation_;
  bool normed_;
  float inverse_k_;
  float epsilon_;
  uint32_t tag_;
  uint32_t place_ = 0;  // of the first row among those of this block's units
  uint32_t apart_ = 0;  // of the second from it
  const float4* sums_ = nullptr;
  uint32_t between_ = 0;     // rows of the weight from the first to the second
  uint32_t* out_ = nullptr;  // of the first row: words, or plain numbers
  float2 add_ = {0, 0};      // to the sums: biases and residuals
  float2 turn_ = {1, 0};     // cosine and sine
  bool turned_ = false;
  __nv_bfloat16* cache_ = nullptr;
};

}  // namespace linnet::cuda
