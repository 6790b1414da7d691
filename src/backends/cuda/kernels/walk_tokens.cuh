// The arithmetic of attention in the walk: what one warp makes of 16 tokens at a time.
#pragma once

#include "backends/cuda/kernels/matrix_units.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

inline constexpr uint32_t kValueColumns = 64;  // that a block takes
inline constexpr uint32_t kKeptParts = 8;      // warps whose numbers have room in shared memory at once

// 8 × 8 numbers of 16 bits, transposed across the lanes.
__device__ __forceinline__ uint32_t transpose(uint32_t two) {
  uint32_t out;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(two));
  return out;
}

// Where a warp's numbers of a head lie for others: in an order in which lanes that write two neighbours each
// meet different banks.
__device__ __forceinline__ uint32_t kept_at(uint32_t head, uint32_t column) {
  return head * kValueColumns + (column ^ head / 2 * 2);
}

// What one warp has of its tokens, for heads 2c and 2c + 1 of lane (g, c).
template <uint32_t kWidth>
struct WalkTokens {
  static constexpr uint32_t kSteps = kWidth / 32;
  static constexpr uint32_t kTiles = kValueColumns / 16;
  float out[kTiles][4] = {};
  float largest[2] = {-INFINITY, -INFINITY};
  float sums[4] = {};  // of the weights: as if there were a column of ones

  // Of the 16 tokens that are taken next.
  uint4 keys[2][kSteps] = {};
  uint4 values[4] = {};

  // Before queries are waited for: what begins as zero is so.
  __device__ __forceinline__ void settle_sums() {
#pragma unroll
    for (uint32_t i = 0; i < 4 * kTiles; ++i) settle(out[i / 4][i % 4]);
#pragma unroll
    for (float& sum : sums) settle(sum);
  }

  // Token `offset` of the 16 from `token` on, in the page at element `page`; none behind `end`.
  __device__ __forceinline__ static uint64_t place(uint64_t page, uint32_t token, uint32_t offset,
                                                   uint32_t end) {
    return page + uint64_t{min(token + offset, end - 1) % kPageTokens} * kWidth;
  }
  __device__ __forceinline__ void load_keys(const WalkStage& stage, uint64_t page, uint32_t token,
                                            uint32_t end) {
    const uint32_t g = threadIdx.x % 32 / 4;
    const uint32_t c = threadIdx.x % 4;
#pragma unroll
    for (uint32_t t = 0; t < 2; ++t) {
#pragma unroll
      for (uint32_t i = 0; i < kSteps; ++i)
        keys[t][i] = load_16(stage.k_cache, place(page, token, 8 * t + g, end) + 8 * c + 32 * i);
    }
  }
  __device__ __forceinline__ void load_values(const WalkStage& stage, uint64_t page, uint32_t token,
                                              uint32_t end, uint32_t column) {
    const uint32_t g = threadIdx.x % 32 / 4;
    const uint32_t c = threadIdx.x % 4;
#pragma unroll
    for (uint32_t t = 0; t < 4; ++t)
      values[t] = load_16(stage.v_cache, place(page, token, 2 * c + t % 2 + t / 2 * 8, end) + column + 8 * g);
  }

  // The weights of the tokens from `token` on whose keys are loaded, into `scores`.
  __device__ __forceinline__ void take_keys(float (&scores)[4], uint32_t token, uint32_t end, float scale,
                                            const WalkShared& shared) {
    const uint32_t g = threadIdx.x % 32 / 4;
    const uint32_t c = threadIdx.x % 4;
    float more[4] = {};
#pragma unroll
    for (uint32_t i = 0; i < kSteps; ++i) {
      const uint4 q =
          *reinterpret_cast<const uint4*>(shared.queries + g * WalkShared::kQueryStride + 8 * c + 32 * i);
      const uint32_t first[4] = {keys[0][i].x, keys[1][i].x, keys[0][i].y, keys[1][i].y};
      const uint32_t second[4] = {keys[0][i].z, keys[1][i].z, keys[0][i].w, keys[1][i].w};
      multiply_add<__nv_bfloat16>(scores, first, q.x, q.y);
      multiply_add<__nv_bfloat16>(more, second, q.z, q.w);
    }
#pragma unroll
    for (uint32_t i = 0; i < 4; ++i) scores[i] += more[i];
    weigh(scores, scale, token, end);
  }

  // Adds the loaded values with these weights.
  __device__ __forceinline__ void take_values(const float (&scores)[4]) {
    constexpr uint32_t kOnes[4] = {0x3F803F80, 0x3F803F80, 0x3F803F80, 0x3F803F80};
    uint32_t high[2];
    uint32_t low[2];
#pragma unroll
    for (uint32_t t = 0; t < 2; ++t) {
      split<__nv_bfloat16>(scores[2 * t], scores[2 * t + 1], high[t], low[t]);
      high[t] = transpose(high[t]);
      low[t] = transpose(low[t]);
    }
    multiply_add<__nv_bfloat16>(sums, kOnes, high[0], high[1]);
    multiply_add<__nv_bfloat16>(sums, kOnes, low[0], low[1]);
#pragma unroll
    for (uint32_t j = 0; j < kTiles; ++j) {
      uint32_t a[4];  // rows g: column 8g + 2j; rows g + 8: 8g + 2j + 1
#pragma unroll
      for (uint32_t i = 0; i < 4; ++i)
        a[i] = __byte_perm(word(values[i / 2 * 2], j), word(values[i / 2 * 2 + 1], j),
                           i % 2 == 0 ? 0x5410 : 0x7632);
      multiply_add<__nv_bfloat16>(out[j], a, high[0], high[1]);
      multiply_add<__nv_bfloat16>(out[j], a, low[0], low[1]);
    }
  }

  // Maxima and sums of `heads` heads where all warps find them; where there were tokens, numbers too.
  __device__ __forceinline__ void keep(float* into, uint32_t heads, bool numbers, WalkShared& shared) {
    for_each_head(heads, [&](uint32_t h, uint32_t head, uint32_t at) {
      if (threadIdx.x % 32 < 4) {
        shared.part_largest[head][threadIdx.x / 32] = largest[h];
        shared.part_sum[head][threadIdx.x / 32] = sums[h];
      }
      if (!numbers) return;
#pragma unroll
      for (uint32_t j = 0; j < kTiles; ++j)
        *reinterpret_cast<float2*>(into + (at ^ 2 * j)) = make_float2(out[j][h], out[j][2 + h]);
    });
  }

  // The reverse: what another warp has kept is added to this one's.
  __device__ __forceinline__ void join(const float* from, uint32_t heads, uint32_t warp,
                                       const WalkShared& shared) {
    for_each_head(heads, [&](uint32_t h, uint32_t head, uint32_t at) {
      const float theirs = shared.part_largest[head][warp];
      const float most = fmaxf(largest[h], theirs);
      const float base = most == -INFINITY ? 0.0f : most;
      const float mine = power_of_two(largest[h] - base);
      const float other = power_of_two(theirs - base);
      largest[h] = most;
      sums[h] = sums[h] * mine + shared.part_sum[head][warp] * other;
#pragma unroll
      for (uint32_t j = 0; j < kTiles; ++j) {
        const float2 two = *reinterpret_cast<const float2*>(from + (at ^ 2 * j));
        out[j][h] = out[j][h] * mine + two.x * other;
        out[j][2 + h] = out[j][2 + h] * mine + two.y * other;
      }
    });
  }

 private:
  // The lane's two heads, if there are so many, and where the first of its eight columns is kept: two that
  // are 2j further lie at `at ^ 2j`.
  template <class Use>
  __device__ __forceinline__ static void for_each_head(uint32_t heads, Use&& use) {
#pragma unroll
    for (uint32_t h = 0; h < 2; ++h) {
      const uint32_t head = threadIdx.x % 4 * 2 + h;
      if (head < heads) use(h, head, kept_at(head, threadIdx.x % 32 / 4 * 8));
    }
  }

  // Scores become weights; what was summed before is scaled to the new maximum.
  __device__ __forceinline__ void weigh(float (&scores)[4], float scale, uint32_t token, uint32_t end) {
    const uint32_t g = threadIdx.x % 32 / 4;
#pragma unroll
    for (uint32_t h = 0; h < 2; ++h) {
      float most = largest[h];
#pragma unroll
      for (uint32_t t = 0; t < 2; ++t) {
        float& score = scores[2 * t + h];
        score = token + 8 * t + g < end ? score * scale : -INFINITY;
        most = fmaxf(most, score);
      }
#pragma unroll
      for (int offset = 4; offset < 32; offset *= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, offset));
      const float base = most == -INFINITY ? 0.0f : most;
      const float factor = power_of_two(largest[h] - base);
      largest[h] = most;
      sums[h] *= factor;
      sums[2 + h] *= factor;
#pragma unroll
      for (uint32_t t = 0; t < 2; ++t) {
        float& score = scores[2 * t + h];
        score = power_of_two(score - base);
      }
#pragma unroll
      for (uint32_t j = 0; j < kTiles; ++j) {
        out[j][h] *= factor;
        out[j][2 + h] *= factor;
      }
    }
  }
};

}  // namespace linnet::cuda
