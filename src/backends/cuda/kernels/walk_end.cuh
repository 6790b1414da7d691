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

// The rows of a stage that a thread makes outputs of: a pair that belongs together, by one lane or two. What
// comes from afar is asked for before x is there.
template <bool kCodes>
class WalkEnd {
 public:
  __device__ __forceinline__ WalkEnd(const WalkStage& stage, const Share& share, uint32_t turn)
      : here_(share.first + unit(turn) < share.end) {
    if (!here_) return;
    const UnitRows rows =
        rows_of_unit(kRows, stage.shift, stage.half, stage.paired, share.first + unit(turn));
    halves_ = rows.halves;
    // Rows behind the last are that one again, and what comes out is written twice.
    first_ = min(rows.low + (rows.halves ? 1 : 2) * pair(), stage.n - 1);
    second_ = min(rows.halves ? rows.high + pair() : first_ + 1, stage.n - 1);
    if (stage.bias != nullptr) add_ = make_float2(__ldg(stage.bias + first_), __ldg(stage.bias + second_));
    if (stage.residual != nullptr) {
      add_.x += stage.residual[first_];
      add_.y += stage.residual[second_];
    }
  }

  // Whether threads of the warp with this turn have a pair, where the block has so many units.
  [[nodiscard]] __device__ __forceinline__ static bool takes_part(uint32_t turn, uint32_t units) {
    return turn * 32 < units * kLanes;
  }

 private:
  template <bool>
  friend class WalkOutputs;
  static constexpr uint32_t kRows = unit_rows(kCodes);
  static constexpr uint32_t kFours = kTeamSums / kRows / 4;  // parts of a row, of each team: one a lane
  static constexpr uint32_t kLanes = kRows / 2 * kFours;     // of a unit
  [[nodiscard]] __device__ __forceinline__ static uint32_t pair() { return threadIdx.x % kLanes / kFours; }

  [[nodiscard]] __device__ __forceinline__ static uint32_t unit(uint32_t turn) {
    return turn * (32 / kLanes) + threadIdx.x % 32 / kLanes;
  }
  // Of the first row among those of this block's units, and of the second from it.
  [[nodiscard]] __device__ __forceinline__ uint32_t place(uint32_t turn) const {
    return unit(turn) * kRows + (halves_ ? 1 : 2) * pair();
  }
  [[nodiscard]] __device__ __forceinline__ uint32_t apart() const { return halves_ ? kRows / 2 : 1; }

  bool here_;
  bool halves_ = false;
  uint32_t first_ = 0;  // rows of the weight
  uint32_t second_ = 0;
  float2 add_ = {0, 0};  // to the sums: biases, and residuals from outside
};

// Their outputs. All that can be known before the sums are is found before, in registers that had weights:
// from the last sum to the outputs all other blocks wait.
template <bool kCodes>
class WalkOutputs {
 public:
  __device__ __forceinline__ WalkOutputs(const WalkEnd<kCodes>& end, const WalkStage& stage,
                                         const WalkArgs& args, const float* sums, uint32_t turn,
                                         uint32_t parity, WalkShared& shared)
      : end_(end),
        kind_(stage.kind),
        activation_(stage.activation),
        tag_(stage.out_use.in(shared.run)),
        row_(stage.out) {
    const uint32_t pieces = pieces_of<kCodes>(stage.k);
    teams_ = min(pieces, kTeams);
    sums_ = reinterpret_cast<const float4*>(sums + end.unit(turn) * unit_sums(pieces)) +
            end.place(turn) % WalkEnd<kCodes>::kRows * kFours + threadIdx.x % kFours;
    auto* const out = kind_ == WalkStage::Kind::linear ? reinterpret_cast<uint32_t*>(stage.plain_out)
                                                       : args.words + stage.out;
    static_assert(kGateCopies % kFours == 0);
    copy_ = words_of_copy(stage.n / 2);
    first_ = kind_ == WalkStage::Kind::gated ? out + threadIdx.x % kFours * copy_ + end.first_ / 2
                                             : out + end.first_;
    second_ = out + end.second_;
    residual_ = shared.residual + end.place(turn);
    add_ = end.add_;
    if (kind_ == WalkStage::Kind::add && stage.residual == nullptr && puts()) {
      add_.x += residual_[0];  // another warp may have put it there
      add_.y += residual_[end.apart()];
    }
    if (kind_ == WalkStage::Kind::rope_and_store && end.here_) find_head(stage, args, shared);
    wait(&shared.squared, parity);  // whoever arrives is waited for, also where there is no norm
    if (stage.norm == nullptr) return;
    scale_ = rsqrtf(squares_of_x(shared) * stage.inverse_k + stage.epsilon);
  }

  // By whole warps, once all sums are there.
  __device__ __forceinline__ void put_all(WalkShared& shared) const {
    const Sums sums = take_sums();
    float first = sums.first * scale_ + add_.x;
    float second = sums.second * scale_ + add_.y;
    if (kind_ == WalkStage::Kind::gated) {
      const float mine = activate_gate(activation_, first) * second;
      const float next = __shfl_down_sync(~0u, mine, kFours);
      if (end_.here_ && threadIdx.x / kFours % 2 == 0) {
        const uint32_t two = pair_of(mine, next, tag_);
#pragma unroll
        for (uint32_t i = 0; i < kGateCopies; i += kFours) put(first_ + i * copy_, two);
      }
      return;
    }
    if (kind_ == WalkStage::Kind::linear) keep_largest(first, second, shared);
    if (!end_.here_ || !puts()) return;
    if (turned_) {  // queries and keys
      const float x = first;
      first = x * turn_.x - second * turn_.y;
      second = x * turn_.y + second * turn_.x;
    }
    const bool plain = kind_ == WalkStage::Kind::linear;
    put(first_, plain ? __float_as_uint(first) : word_of(first, tag_));
    put(second_, plain ? __float_as_uint(second) : word_of(second, tag_));
    if (kind_ == WalkStage::Kind::add) {
      residual_[0] = first;
      residual_[end_.apart()] = second;
    }
    if (cache_ != nullptr) {
      cache_[0] = __float2bfloat16_rn(first);
      cache_[end_.second_ - end_.first_] = __float2bfloat16_rn(second);
    }
  }

 private:
  __device__ __forceinline__ void keep_largest(float first, float second, WalkShared& shared) const {
    Largest largest = Largest::none();
    if (end_.here_) {
      largest.look(first, row_ + end_.first_);
      largest.look(second, row_ + end_.second_);
    }
    largest.look_at_warp();
    Largest& all = shared.largest[threadIdx.x / 32];
    if (threadIdx.x % 32 == 0) all.look(largest.logit, largest.token);
  }

  static constexpr uint32_t kFours = WalkEnd<kCodes>::kFours;
  // Of the lanes that have a pair all know its sums, and one puts what it makes of them; outputs of gates
  // have copies, and each lane puts some.
  [[nodiscard]] __device__ __forceinline__ static bool puts() {
    return threadIdx.x % kFours == 0;
  }

  // How queries and keys are turned, and where keys and values are kept for later runs.
  __device__ __forceinline__ void find_head(const WalkStage& stage, const WalkArgs& args,
                                            const WalkShared& shared) {
    const uint32_t head = end_.first_ >> args.width_shift;
    const uint32_t element = end_.first_ - (head << args.width_shift);
    const uint32_t angle = args.pairs == RopePairs::halves ? element : element / 2;
    const bool value = head >= args.heads + args.pages.kv_heads;
    turned_ = !value && angle < args.rope_pairs;
    if (turned_) turn_ = reinterpret_cast<const float2*>(shared.angles)[angle];
    if (head < args.heads || shared.place == ~0ull) return;
    const uint32_t kv_head = head - args.heads - (value ? args.pages.kv_heads : 0);
    cache_ = reinterpret_cast<__nv_bfloat16*>(value ? stage.v_cache : stage.k_cache) + shared.place +
             (uint64_t{kv_head * kPageTokens} << args.width_shift) + element;
  }

  __device__ __forceinline__ static float of_four(const float4& four) {
    return (four.x + four.y) + (four.z + four.w);
  }
  // By whole warps: each lane takes some.
  __device__ __forceinline__ static float squares_of_x(const WalkShared& shared) {
    float squares = 0;
#pragma unroll
    for (uint32_t i = 0; i < kWalkThreads / 128; ++i)
      squares += of_four(reinterpret_cast<const float4*>(shared.squares)[32 * i + threadIdx.x % 32]);
    return warp_sum(squares);
  }

  // The whole sums of both rows.
  struct Sums {
    float first = 0;
    float second = 0;
  };
  __device__ __forceinline__ Sums take_sums() const {
    Sums sums;
    if (end_.here_) {
#pragma unroll
      for (uint32_t team = 0; team < kTeams; ++team) {
        if (team >= teams_) break;
        const float4* const first = sums_ + team * (kTeamSums / 4);
        sums.first += of_four(first[0]);
        sums.second += of_four(first[end_.apart() * kFours]);
      }
    }
#pragma unroll
    for (uint32_t offset = 1; offset < kFours; offset *= 2) {
      sums.first += __shfl_xor_sync(~0u, sums.first, offset);
      sums.second += __shfl_xor_sync(~0u, sums.second, offset);
    }
    return sums;
  }

  const WalkEnd<kCodes>& end_;
  WalkStage::Kind kind_;
  ActivationKind activation_;
  bool turned_ = false;
  float scale_ = 1;  // of the norm
  uint32_t tag_;
  uint32_t row_;    // linear: of all outputs, where this stage's begin
  uint32_t teams_;  // that have some of each sum
  const float4* sums_;
  uint32_t copy_;    // words, from copy to copy of gated outputs
  uint32_t* first_;  // where outputs go
  uint32_t* second_;
  float* residual_;
  float2 add_;
  __nv_bfloat16* cache_ = nullptr;
  float2 turn_ = {1, 0};  // cosine and sine
};

}  // namespace linnet::cuda
