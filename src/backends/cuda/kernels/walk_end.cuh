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

// Four lanes have a pair of rows that belong together. What comes from afar is asked for before x is there;
// what lies in shared memory is looked up at the end, because registers are few.
template <bool kCodes>
class WalkEnd {
 public:
  __device__ __forceinline__ WalkEnd(const WalkStage& stage, const Share& share, const float* sums,
                                     const WalkShared& shared)
      : here_(share.first + unit() < share.end), sums_(sums) {
    if (!here_) return;
    const UnitRows rows = rows_of_unit(kRows, stage.shift, stage.half, stage.paired, share.first + unit());
    halves_ = rows.halves;
    // Rows behind the last are that one again, and what comes out is written twice.
    first_ = min(rows.low + (rows.halves ? 1 : 2) * pair(), stage.n - 1);
    second_ = min(rows.halves ? rows.high + pair() : first_ + 1, stage.n - 1);
    if (stage.bias != nullptr) add_ = make_float2(__ldg(stage.bias + first_), __ldg(stage.bias + second_));
    if (stage.kind == WalkStage::Kind::add) {
      const bool outside = stage.residual != nullptr;
      add_.x += outside ? stage.residual[first_] : shared.residual[place()];
      add_.y += outside ? stage.residual[second_] : shared.residual[place() + apart()];
    }
  }

  // Whether threads of this warp have a pair, where the block has so many units.
  [[nodiscard]] __device__ __forceinline__ static bool takes_part(uint32_t warp, uint32_t units) {
    return warp * 32 < units * kLanes;
  }

  // Sums become outputs.
  __device__ __forceinline__ void end(const WalkStage& stage, const WalkArgs& args, uint32_t pieces,
                                      WalkShared& shared) const {
    const Sums sums = take_sums(pieces, stage.norm != nullptr, shared);
    const uint32_t tag = stage.out_use.in(shared.run);
    const WalkStage::Kind kind = stage.kind;
    uint32_t* const out = args.words + stage.out;
    const float scale = stage.norm != nullptr ? rsqrtf(sums.squares * stage.inverse_k + stage.epsilon) : 1.0f;
    float first = sums.first * scale + add_.x;
    float second = sums.second * scale + add_.y;
    if (kind == WalkStage::Kind::gated) {
      const float mine = activate_gate(stage.activation, first) * second;
      const float next = __shfl_down_sync(~0u, mine, 4);
      static_assert(kGateCopies == 4);  // all four lanes have the same
      if (here_ && threadIdx.x % 8 < 4)
        put(out + threadIdx.x % 4 * words_of_copy(stage.n / 2) + first_ / 2, pair_of(mine, next, tag));
      return;
    }
    if (!here_ || threadIdx.x % 4 != 0) return;
    if (kind == WalkStage::Kind::linear) {
      stage.plain_out[first_] = first;
      stage.plain_out[second_] = second;
      return;
    }
    if (kind == WalkStage::Kind::rope_and_store) turn(first, second, args, shared);
    put(out + first_, word_of(first, tag));
    put(out + second_, word_of(second, tag));
    if (kind == WalkStage::Kind::add) {
      shared.residual[place()] = first;
      shared.residual[place() + apart()] = second;
    } else {
      keep(first, second, stage, args, shared);
    }
  }

 private:
  static constexpr uint32_t kRows = unit_rows(kCodes);
  static constexpr uint32_t kLanes = 2 * kRows;  // of a unit: four for each of its pairs
  [[nodiscard]] __device__ __forceinline__ static uint32_t unit() { return threadIdx.x / kLanes; }
  [[nodiscard]] __device__ __forceinline__ static uint32_t pair() { return threadIdx.x % kLanes / 4; }

  // Of the first row among those of this block's units, and of the second from it.
  [[nodiscard]] __device__ __forceinline__ uint32_t place() const {
    return unit() * kRows + (halves_ ? 1 : 2) * pair();
  }
  [[nodiscard]] __device__ __forceinline__ uint32_t apart() const { return halves_ ? kRows / 2 : 1; }

  // Queries and keys are turned,
  __device__ __forceinline__ void turn(float& first, float& second, const WalkArgs& args,
                                       const WalkShared& shared) const {
    const uint32_t head = first_ >> args.width_shift;
    const uint32_t element = first_ - (head << args.width_shift);
    const uint32_t angle = args.pairs == RopePairs::halves ? element : element / 2;
    if (head >= args.heads + args.pages.kv_heads || angle >= args.rope_pairs) return;
    const float2 by = reinterpret_cast<const float2*>(shared.angles)[angle];
    const float x = first;
    first = x * by.x - second * by.y;
    second = x * by.y + second * by.x;
  }
  // and keys and values go into the caches, for later runs.
  __device__ __forceinline__ void keep(float first, float second, const WalkStage& stage,
                                       const WalkArgs& args, const WalkShared& shared) const {
    const uint32_t head = first_ >> args.width_shift;
    if (head < args.heads || shared.place == ~0ull) return;
    const uint32_t element = first_ - (head << args.width_shift);
    const bool value = head >= args.heads + args.pages.kv_heads;
    const uint32_t kv_head = head - args.heads - (value ? args.pages.kv_heads : 0);
    auto* const cache = reinterpret_cast<__nv_bfloat16*>(value ? stage.v_cache : stage.k_cache) +
                        shared.place + (uint64_t{kv_head * kPageTokens} << args.width_shift) + element;
    cache[0] = __float2bfloat16_rn(first);
    cache[second_ - first_] = __float2bfloat16_rn(second);
  }

  // The whole sums of both rows, and of the squares of x, in all four lanes.
  struct Sums {
    float first = 0;
    float second = 0;
    float squares = 0;
  };
  __device__ __forceinline__ Sums take_sums(uint32_t pieces, bool normed, const WalkShared& shared) const {
    const auto of_four = [](const float4& four) { return (four.x + four.y) + (four.z + four.w); };
    Sums sums;
    // Each of four lanes takes four parts of a row at a time, of those of all teams.
    constexpr uint32_t kFours = kTeamSums / kRows / 4;
    const uint32_t fours = min(pieces, kTeams) * kFours;
    if (here_) {
      const auto* const mine =
          reinterpret_cast<const float4*>(sums_ + unit() * unit_sums(pieces)) + place() % kRows * kFours;
#pragma unroll
      for (uint32_t j = 0; j < kFours; ++j) {
        const uint32_t part = threadIdx.x % 4 + 4 * j;
        if (part >= fours) break;
        const float4* const first = mine + part / kFours * (kTeamSums / 4) + part % kFours;
        sums.first += of_four(first[0]);
        sums.second += of_four(first[apart() * kFours]);
      }
    }
    if (normed) {
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
  bool halves_ = false;
  const float* sums_;
  uint32_t first_ = 0;  // rows of the weight
  uint32_t second_ = 0;
  float2 add_ = {0, 0};  // to the sums: biases and residuals
};

}  // namespace linnet::cuda
