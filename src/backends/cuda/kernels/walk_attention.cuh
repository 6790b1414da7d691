// Attention of one row in the walk. A block takes up to eight query heads that share a key head, and a
// stretch of the tokens; its warps take 16 tokens in turn. Tokens stand in the rows of the products and heads
// in their columns, so that few heads waste little. The token that is being made comes with the queries, as
// words: the cache has it only for later runs.
#pragma once

#include "backends/cuda/kernels/matrix_units.cuh"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"

namespace linnet::cuda {

// The work of a block in one attention stage.
struct WalkHeads {
  uint32_t chunks;  // of at most eight heads of a group
  uint32_t stretches;
  uint32_t stretch;  // tokens

  __device__ __forceinline__ WalkHeads(const WalkArgs& args, uint32_t tokens) {
    const uint32_t group = args.heads / args.pages.kv_heads;
    chunks = (group + WalkShared::kHeads - 1) / WalkShared::kHeads;
    const uint32_t most = max(1u, gridDim.x / (args.pages.kv_heads * chunks));
    const uint32_t wanted = min((tokens + 255) / 256, most);
    stretch = wanted <= 1 ? max(tokens, 1u) : ((tokens + wanted - 1) / wanted + 63) / 64 * 64;
    stretches = max(1u, (tokens + stretch - 1) / stretch);
  }
  [[nodiscard]] __device__ __forceinline__ uint32_t tasks(const WalkArgs& args) const {
    return args.pages.kv_heads * chunks * stretches;
  }
};

// 8 × 8 numbers of 16 bits, transposed across the lanes.
__device__ __forceinline__ uint32_t transpose(uint32_t two) {
  uint32_t out;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(two));
  return out;
}

// What one warp has of its tokens, for heads 2c and 2c + 1 of lane (g, c).
template <uint32_t kWidth>
struct WalkTokens {
  static constexpr uint32_t kSteps = kWidth / 32;
  static constexpr uint32_t kHalves = kWidth / 64;
  static constexpr uint32_t kTiles = 4 * kHalves;
  float out[kTiles][4] = {};
  float largest[2] = {-INFINITY, -INFINITY};
  float sum[2] = {};

  // Tokens [token, token + 16) of the page at element `page`, those before `end`.
  __device__ __forceinline__ void take(const WalkStage& stage, uint64_t page, uint32_t token, uint32_t end,
                                       float scale, const WalkShared& shared) {
    const uint32_t g = threadIdx.x % 32 / 4;
    const uint32_t c = threadIdx.x % 4;
    const auto place = [&](uint32_t offset) {
      return page + uint64_t{min(token + offset, end - 1) % 64} * kWidth;
    };
    uint4 keys[2][kSteps];
#pragma unroll
    for (uint32_t t = 0; t < 2; ++t) {
#pragma unroll
      for (uint32_t i = 0; i < kSteps; ++i)
        keys[t][i] = load_16(stage.k_cache, place(8 * t + g) + 8 * c + 32 * i);
    }
    float scores[4] = {};
#pragma unroll
    for (uint32_t i = 0; i < kSteps; ++i) {
      const uint4 q =
          *reinterpret_cast<const uint4*>(shared.queries + g * WalkShared::kQueryStride + 8 * c + 32 * i);
      const uint32_t first[4] = {keys[0][i].x, keys[1][i].x, keys[0][i].y, keys[1][i].y};
      const uint32_t second[4] = {keys[0][i].z, keys[1][i].z, keys[0][i].w, keys[1][i].w};
      multiply_add<__nv_bfloat16>(scores, first, q.x, q.y);
      multiply_add<__nv_bfloat16>(scores, second, q.z, q.w);
    }
    weigh(scores, scale, token, end);
    uint4 values[4][kHalves];  // asked for only now: both at once are more than a thread's registers
#pragma unroll
    for (uint32_t t = 0; t < 4; ++t) {
#pragma unroll
      for (uint32_t i = 0; i < kHalves; ++i)
        values[t][i] = load_16(stage.v_cache, place(2 * c + t % 2 + t / 2 * 8) + 8 * g + 64 * i);
    }
    uint32_t high[2];
    uint32_t low[2];
#pragma unroll
    for (uint32_t t = 0; t < 2; ++t) {
      split<__nv_bfloat16>(scores[2 * t], scores[2 * t + 1], high[t], low[t]);
      high[t] = transpose(high[t]);
      low[t] = transpose(low[t]);
    }
#pragma unroll
    for (uint32_t j = 0; j < kTiles; ++j) {
      uint32_t a[4];
      if constexpr (kHalves == 2) {  // rows g: element 8g + j; rows g + 8: 64 + 8g + j
        const uint32_t selector = j % 2 == 0 ? 0x5410 : 0x7632;
#pragma unroll
        for (uint32_t i = 0; i < 4; ++i)
          a[i] = __byte_perm(word(values[i / 2 * 2][i % 2], j / 2), word(values[i / 2 * 2 + 1][i % 2], j / 2),
                             selector);
      } else {  // rows g: 8g + 2j; rows g + 8: 8g + 2j + 1
#pragma unroll
        for (uint32_t i = 0; i < 4; ++i)
          a[i] = __byte_perm(word(values[i / 2 * 2][0], j), word(values[i / 2 * 2 + 1][0], j),
                             i % 2 == 0 ? 0x5410 : 0x7632);
      }
      multiply_add<__nv_bfloat16>(out[j], a, high[0], high[1]);
      multiply_add<__nv_bfloat16>(out[j], a, low[0], low[1]);
    }
  }

  // Of `heads` heads into [head][maximum, sum, numbers].
  __device__ __forceinline__ void keep(float* into, uint32_t heads) {
    const uint32_t g = threadIdx.x % 32 / 4;
    const uint32_t c = threadIdx.x % 4;
#pragma unroll
    for (uint32_t h = 0; h < 2; ++h) {
#pragma unroll
      for (int offset = 4; offset < 32; offset *= 2) sum[h] += __shfl_xor_sync(~0u, sum[h], offset);
      if (2 * c + h >= heads) continue;
      float* mine = into + (2 * c + h) * (2 + kWidth);
      if (g == 0) {
        mine[0] = largest[h];
        mine[1] = sum[h];
      }
#pragma unroll
      for (uint32_t j = 0; j < kTiles; ++j) {
#pragma unroll
        for (uint32_t i = 0; i < 2; ++i)
          mine[2 + (kHalves == 2 ? 64 * i + 8 * g + j : 8 * g + 2 * j + i)] = out[j][2 * i + h];
      }
    }
  }

 private:
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
      const float factor = exp2f(largest[h] - base);
      largest[h] = most;
      sum[h] *= factor;
#pragma unroll
      for (uint32_t t = 0; t < 2; ++t) {
        float& score = scores[2 * t + h];
        score = exp2f(score - base);
        sum[h] += score;
      }
#pragma unroll
      for (uint32_t j = 0; j < kTiles; ++j) {
        out[j][h] *= factor;
        out[j][2 + h] *= factor;
      }
    }
  }
};

// Asks for the lines of a warp's first 16 tokens while the queries are still being made.
template <uint32_t kWidth>
__device__ __forceinline__ void expect_tokens(const WalkStage& stage, uint64_t page, uint32_t token,
                                              uint32_t end) {
  constexpr uint32_t kLines = 16 * kWidth * 2 / 128;  // of keys, and as many of values
#pragma unroll
  for (uint32_t i = 0; i < 2 * kLines / 32; ++i) {
    const uint32_t line = threadIdx.x % 32 + 32 * i;
    const std::byte* cache = line < kLines ? stage.k_cache : stage.v_cache;
    const uint32_t at = line % kLines * 64;  // elements
    if (token + at / kWidth < end)
      asm volatile("prefetch.global.L1 [%0];" ::"l"(cache + 2 * (page + uint64_t{token % 64} * kWidth + at)));
  }
}

// Queries of the chunk, and key and value of the new token, out of the words of the stage before.
__device__ __forceinline__ void take_queries(const WalkArgs& args, const uint32_t* words, uint32_t tag,
                                             uint32_t first_head, uint32_t heads, uint32_t kv_head,
                                             WalkShared& shared) {
  const uint32_t width = args.pages.width;
  for (uint32_t i = threadIdx.x; i < WalkShared::kHeads * width; i += kWalkThreads) {
    const uint32_t head = i / width;
    const float q = head < heads ? take_word(words + first_head * width + i, tag) : 0.0f;
    shared.queries[head * WalkShared::kQueryStride + i % width] = __float2bfloat16_rn(q);
  }
  for (uint32_t i = threadIdx.x; i < 2 * width; i += kWalkThreads) {
    const bool key = i < width;
    const uint32_t row = (args.heads + (key ? 0 : args.pages.kv_heads) + kv_head) * width + i % width;
    (key ? shared.key : shared.value)[i % width] =
        __bfloat162float(__float2bfloat16_rn(take_word(words + row, tag)));
  }
}

// Maximum, sum and numbers of several parts, for one number.
struct WalkJoin {
  float largest = -INFINITY;
  float sum = 0;
  float value = 0;

  __device__ __forceinline__ void add(float other_largest, float other_sum, float other_value) {
    if (other_largest == -INFINITY) return;
    const float most = fmaxf(largest, other_largest);
    const float mine = exp2f(largest - most);
    const float theirs = exp2f(other_largest - most);
    largest = most;
    sum = sum * mine + other_sum * theirs;
    value = value * mine + other_value * theirs;
  }
};

template <uint32_t kWidth>
__device__ __forceinline__ void attend(const WalkStage& stage, const WalkArgs& args, const WalkHeads& all,
                                       uint32_t task, uint32_t run, uint32_t step, float* work,
                                       WalkShared& shared, const Stamp& mark, KernelFailure* failure) {
  const uint32_t warp = threadIdx.x / 32;
  const uint32_t group = args.heads / args.pages.kv_heads;
  const uint32_t stretch = task % all.stretches;
  const uint32_t kv_head = task / all.stretches / all.chunks;
  const uint32_t chunk = task / all.stretches % all.chunks;
  const uint32_t first_head = kv_head * group + chunk * WalkShared::kHeads;
  const uint32_t heads = min(WalkShared::kHeads, group - chunk * WalkShared::kHeads);
  const uint32_t tokens = shared.slot < 0 ? 0 : shared.position;  // in the cache
  const uint32_t begin = stretch * all.stretch;
  const uint32_t end = min(begin + all.stretch, tokens);
  const float scale = args.attention_scale * 1.4426950408889634f;
  const auto page_of = [&](uint32_t token) {
    const uint64_t page = place_of_token(args.pages, shared.slot, token / 64 * 64, kv_head, mark, failure);
    return page == ~0ull ? 0 : page;
  };
  if (begin + 16 * warp < end)
    expect_tokens<kWidth>(stage, page_of(begin + 16 * warp), begin + 16 * warp, end);
  take_queries(args, args.words + stage.in, run * args.uses + stage.in_use, first_head, heads, kv_head,
               shared);
  meet();
  WalkTokens<kWidth> state;
  for (uint32_t token = begin + 16 * warp; token < end; token += 16 * kWalkWarps)
    state.take(stage, page_of(token), token, end, scale, shared);
  const uint32_t parts = min(kWalkWarps, end > begin ? (end - begin + 15) / 16 : 0);
  if (warp < parts) state.keep(work + warp * heads * (2 + kWidth), heads);
  if (warp < heads) {  // the new token's score
    float score = 0;
    for (uint32_t i = threadIdx.x % 32; i < kWidth; i += 32)
      score += __bfloat162float(shared.queries[warp * WalkShared::kQueryStride + i]) * shared.key[i];
    score = warp_sum(score);
    if (threadIdx.x % 32 == 0) shared.scores[warp] = score * scale;
  }
  meet();
  for (uint32_t i = threadIdx.x; i < heads * kWidth; i += kWalkThreads) {
    const uint32_t head = i / kWidth;
    const uint32_t element = i % kWidth;
    WalkJoin join;
    for (uint32_t part = 0; part < parts; ++part) {
      const float* theirs = work + (part * heads + head) * (2 + kWidth);
      join.add(theirs[0], theirs[1], theirs[2 + element]);
    }
    if (stretch + 1 == all.stretches) join.add(shared.scores[head], 1, shared.value[element]);
    if (all.stretches == 1) {
      put_word(args.words + stage.out + (first_head + head) * kWidth + element, join.value / join.sum,
               run * args.uses + stage.out_use);
      continue;
    }
    uint2* to = args.partials + ((first_head + head) * all.stretches + stretch) * (2 + kWidth);
    if (element == 0) {
      put_partial(to, join.largest, step);
      put_partial(to + 1, join.sum, step);
    }
    put_partial(to + 2 + element, join.value, step);
  }
}

// The stretches of one head, read by parts of the block.
template <uint32_t kWidth>
__device__ __forceinline__ void join_stretches(const WalkStage& stage, const WalkArgs& args, uint32_t head,
                                               uint32_t stretches, uint32_t run, uint32_t step, float* work) {
  constexpr uint32_t kParts = kWalkThreads / kWidth;
  const uint32_t part = threadIdx.x / kWidth;
  const uint32_t element = threadIdx.x % kWidth;
  WalkJoin join;
  for (uint32_t stretch = part; stretch < stretches; stretch += kParts) {
    const uint2* from = args.partials + (head * stretches + stretch) * (2 + kWidth);
    join.add(take_partial(from, step), take_partial(from + 1, step), take_partial(from + 2 + element, step));
  }
  meet();
  float* mine = work + part * 3 * kWidth + element;
  mine[0] = join.largest;
  mine[kWidth] = join.sum;
  mine[2 * kWidth] = join.value;
  meet();
  if (part != 0) return;
  for (uint32_t other = 1; other < kParts; ++other)
    join.add(mine[3 * other * kWidth], mine[(3 * other + 1) * kWidth], mine[(3 * other + 2) * kWidth]);
  put_word(args.words + stage.out + head * kWidth + element, join.value / join.sum,
           run * args.uses + stage.out_use);
}

// All of a stage that is this block's.
template <uint32_t kWidth>
__device__ __noinline__ void attention_stage(const WalkStage& stage, const WalkArgs& args, uint32_t run,
                                             uint32_t step, float* work, WalkShared& shared,
                                             const Stamp& mark, KernelFailure* failure) {
  const WalkHeads all(args, shared.slot < 0 ? 0 : shared.position);
  const uint32_t me = (blockIdx.x + stage.turn) % gridDim.x;
  for (uint32_t task = me; task < all.tasks(args); task += gridDim.x) {
    attend<kWidth>(stage, args, all, task, run, step, work, shared, mark, failure);
    meet();
  }
  if (all.stretches == 1) return;
  const uint32_t last = gridDim.x - 1 - me;  // those without a task first
  for (uint32_t head = last; head < args.heads; head += gridDim.x) {
    join_stretches<kWidth>(stage, args, head, all.stretches, run, step, work);
    meet();
  }
}

}  // namespace linnet::cuda
