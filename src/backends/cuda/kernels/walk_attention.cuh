// Attention of one row in the walk. A block takes up to eight query heads that share a key head, a stretch of
// the tokens, and 64 columns of the values; its warps take 16 tokens in turn. Tokens stand in the rows of the
// products and heads in their columns, so that few heads waste little. The token that is being made comes
// with the queries, as words: the cache has it only for later runs.
#pragma once

#include "backends/cuda/kernels/matrix_units.cuh"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"
#include "backends/cuda/kernels/walk_task.cuh"
#include "backends/cuda/kernels/walk_tokens.cuh"

namespace linnet::cuda {

// Queries of the chunk, and key and value of the new token, out of the words of the stage before: all of a
// thread's are asked for at once.
template <uint32_t kWidth>
__device__ __forceinline__ void take_queries(const WalkArgs& args, const uint32_t* words, uint32_t tag,
                                             const WalkTask& task, WalkShared& shared) {
  constexpr uint32_t kQueries = WalkShared::kHeads * kWidth / kWalkThreads;
  static_assert(2 * kWidth <= kWalkThreads);
  constexpr uint32_t kNothing = ~0u;
  uint32_t places[kQueries + 1];
#pragma unroll
  for (uint32_t j = 0; j < kQueries; ++j) {
    const uint32_t i = threadIdx.x + j * kWalkThreads;
    places[j] = i < task.heads * kWidth ? task.first_head * kWidth + i : kNothing;
  }
  const uint32_t element = threadIdx.x % kWidth;
  const bool key = threadIdx.x < kWidth;
  places[kQueries] = kNothing;
  if (threadIdx.x < 2 * kWidth)
    places[kQueries] = (args.heads + (key ? 0 : args.pages.kv_heads) + task.kv_head) * kWidth + element;
  uint32_t found[kQueries + 1];
#pragma unroll
  for (uint32_t j = 0; j <= kQueries; ++j)
    found[j] = places[j] != kNothing ? look(words + places[j]) : tag & kWordTag;
  uint32_t query = threadIdx.x / kWidth * WalkShared::kQueryStride + element;
  settle(query);
  bool all;
  do {
    all = true;
#pragma unroll
    for (uint32_t j = 0; j <= kQueries; ++j) {
      if (fresh(found[j], tag)) continue;
      found[j] = look(words + places[j]);
      all = false;
    }
  } while (!all);
  static_assert(kWalkThreads % kWidth == 0);
#pragma unroll
  for (uint32_t j = 0; j < kQueries; ++j)
    shared.queries[query + j * (kWalkThreads / kWidth * WalkShared::kQueryStride)] =
        __float2bfloat16_rn(number_of(found[j]));
  if (threadIdx.x < 2 * kWidth)
    (key ? shared.key : shared.value)[element] =
        __bfloat162float(__float2bfloat16_rn(number_of(found[kQueries])));
}

// Maximum, sum and numbers of several parts, for one number.
struct WalkJoin {
  float largest = -INFINITY;
  float sum = 0;
  float value = 0;

  __device__ __forceinline__ void add(float other_largest, float other_sum, float other_value) {
    if (other_largest == -INFINITY) return;
    const float most = fmaxf(largest, other_largest);
    const float mine = power_of_two(largest - most);
    const float theirs = power_of_two(other_largest - most);
    largest = most;
    sum = sum * mine + other_sum * theirs;
    value = value * mine + other_value * theirs;
  }
};

// The result of two neighbours, by the first of them. By whole warps.
__device__ __forceinline__ void put_two(const WalkStage& stage, const WalkArgs& args, uint32_t column,
                                        float value, uint32_t run) {
  const float next = __shfl_down_sync(~0u, value, 1);
  if (column % 2 == 0) put(args.words + stage.out + column / 2, pair_of(value, next, stage.out_use.in(run)));
}

// What the warps have of each head becomes one: a warp for a head, each lane two columns.
template <uint32_t kWidth>
__device__ __forceinline__ void join_parts(const WalkStage& stage, const WalkArgs& args, const WalkTask& task,
                                           uint32_t parts, uint32_t run, uint32_t step, const float* work,
                                           const WalkShared& shared) {
  static_assert(kWalkWarps >= WalkShared::kHeads && kValueColumns == 64 && kKeptParts == 8);
  const uint32_t head = threadIdx.x / 32;
  if (head >= task.heads) return;
  const uint32_t element = threadIdx.x % 32 * 2;
  const bool newest = task.stretch + 1 == shared.stretches;
  const float score = newest ? shared.scores[head] : -INFINITY;
  const float* numbers = work + kept_at(head, element);
  float largest[kKeptParts];
  float sums[kKeptParts];
  float most = score;
#pragma unroll
  for (uint32_t i = 0; i < kKeptParts; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(&shared.part_largest[head][i]);
    const float4 weights = *reinterpret_cast<const float4*>(&shared.part_sum[head][i]);
    largest[i] = four.x, largest[i + 1] = four.y, largest[i + 2] = four.z, largest[i + 3] = four.w;
    sums[i] = weights.x, sums[i + 1] = weights.y, sums[i + 2] = weights.z, sums[i + 3] = weights.w;
    most = fmaxf(most, fmaxf(fmaxf(four.x, four.y), fmaxf(four.z, four.w)));
  }
  float sum = power_of_two(score - most);
  float2 value = {0, 0};
  if (newest) {
    value = *reinterpret_cast<const float2*>(shared.value + task.column + element);
    value = make_float2(sum * value.x, sum * value.y);
  }
#pragma unroll
  for (uint32_t part = 0; part < kKeptParts; ++part) {
    const float weight = power_of_two(largest[part] - most);
    float2 two = *reinterpret_cast<const float2*>(numbers + part * task.heads * kValueColumns);
    if (part >= parts) two = {0, 0};
    sum += weight * sums[part];
    value.x += weight * two.x;
    value.y += weight * two.y;
  }
  const uint32_t column = task.column + element;
  if (shared.stretches == 1) {
    put(args.words + stage.out + ((task.first_head + head) * kWidth + column) / 2,
        pair_of(__fdividef(value.x, sum), __fdividef(value.y, sum), stage.out_use.in(run)));
    return;
  }
  uint2* to = args.partials + ((task.first_head + head) * shared.stretches + task.stretch) * (2 + kWidth);
  if (column == 0) {
    put_partial(to, most, step);
    put_partial(to + 1, sum, step);
  }
  put_partial(to + 2 + column, value.x, step);
  put_partial(to + 3 + column, value.y, step);
}

template <uint32_t kWidth>
__device__ __forceinline__ void attend(const WalkStage& stage, const WalkArgs& args, uint32_t run,
                                       uint32_t step, float* work, WalkShared& shared) {
  const uint32_t warp = threadIdx.x / 32;
  const WalkTask& task = shared.task;
  const uint32_t end = task.end;
  const float scale = args.attention_scale * 1.4426950408889634f;
  WalkTokens<kWidth> state;
  uint32_t token = task.begin + 16 * warp;
  uint64_t page = shared.pages[warp].place;
  int32_t next_page = shared.pages[warp].next;
  if (token < end) {
    state.load_keys(stage, page, token, end);
    state.load_values(stage, page, token, end, task.column);
  }
  state.settle_sums();
  take_queries<kWidth>(args, args.words + stage.in, stage.in_use.in(run), task, shared);
  meet();
  // The number of a token's page is asked for one round before its keys.
  const auto page_of = [&](uint32_t of) {
    return of < end ? __ldg(args.pages.page_table +
                            static_cast<int64_t>(shared.slot) * args.pages.pages_a_slot + of / kPageTokens)
                    : 0;
  };
  while (token < end) {
    const uint32_t next = token + kRoundTokens;
    const int32_t page_after = page_of(next + kRoundTokens);
    float scores[4] = {};
    state.take_keys(scores, token, end, scale, shared);
    if (next < end) {
      page = place_of_page(args.pages, next_page, task.kv_head, shared.mark, shared.failure);
      if (page == ~0ull) page = 0;
      state.load_keys(stage, page, next, end);
    }
    state.take_values(scores);
    if (next < end) state.load_values(stage, page, next, end, task.column);
    token = next;
    next_page = page_after;
  }
  uint32_t parts = min(kWalkWarps, end > task.begin ? (end - task.begin + 15) / 16 : 0);
  float* const numbers = work + warp % kKeptParts * task.heads * kValueColumns;
  if (parts > kKeptParts) {  // the others' become part of theirs
    if (warp >= kKeptParts) state.keep(numbers, task.heads, warp < parts, shared);
    meet();
    if (warp + kKeptParts < parts) state.join(numbers, task.heads, warp + kKeptParts, shared);
    parts = kKeptParts;
    if (warp < kKeptParts) state.keep(numbers, task.heads, true, shared);
  } else {
    state.keep(numbers, task.heads, warp < parts, shared);
  }
  const uint32_t scored = kWalkWarps - 1 - warp;
  if (scored < task.heads) {  // the new token's score
    float score = 0;
    for (uint32_t i = threadIdx.x % 32; i < kWidth; i += 32)
      score += __bfloat162float(shared.queries[scored * WalkShared::kQueryStride + i]) * shared.key[i];
    score = warp_sum(score);
    if (threadIdx.x % 32 == 0) shared.scores[scored] = score * scale;
  }
  meet();
  join_parts<kWidth>(stage, args, task, parts, run, step, work, shared);
}

// The stretches of one head, read by parts of the block.
template <uint32_t kWidth>
__device__ __forceinline__ void join_stretches(const WalkStage& stage, const WalkArgs& args, uint32_t head,
                                               uint32_t stretches, uint32_t run, uint32_t step, float* work) {
  constexpr uint32_t kParts = kWalkThreads / kWidth;
  const uint32_t part = threadIdx.x / kWidth;
  const uint32_t element = threadIdx.x % kWidth;
  WalkJoin join;
  for (uint32_t first = part; first < stretches; first += 2 * kParts) {
    // Two stretches at a time, and all of their words are asked for at once.
    constexpr uint32_t kWords = 6;
    const uint2* places[kWords];
    uint2 found[kWords];
#pragma unroll
    for (uint32_t i = 0; i < kWords; ++i) {
      const uint32_t stretch = min(first + i / 3 * kParts, stretches - 1);
      places[i] =
          args.partials + (head * stretches + stretch) * (2 + kWidth) + (i % 3 < 2 ? i % 3 : 2 + element);
      found[i] = look_at_partial(places[i]);
    }
    bool all;
    do {
      all = true;
#pragma unroll
      for (uint32_t i = 0; i < kWords; ++i) {
        if (found[i].y == step) continue;
        found[i] = look_at_partial(places[i]);
        all = false;
      }
    } while (!all);
#pragma unroll
    for (uint32_t i = 0; i < kWords; i += 3) {
      if (first + i / 3 * kParts < stretches)
        join.add(__uint_as_float(found[i].x), __uint_as_float(found[i + 1].x),
                 __uint_as_float(found[i + 2].x));
    }
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
  put_two(stage, args, head * kWidth + element, join.value / join.sum, run);
}

// All of a stage that is this block's.
template <uint32_t kWidth>
__device__ __forceinline__ void attention_stage(uint32_t i, const WalkStage& stage) {
  WalkShared& shared = walk_shared();
  const WalkArgs& args = shared.args;
  const uint32_t run = shared.run;
  const uint32_t step = run * args.count + i;
  auto* const numbers = reinterpret_cast<float*>(walk_work(args, args.format == Format::q8_0));
  if (i == args.first_attention) prepare_task(args, blockIdx.x, shared);
  for (uint32_t task = blockIdx.x; task < shared.tasks; task += gridDim.x) {
    if (shared.tasks > gridDim.x) prepare_task(args, task, shared);
    attend<kWidth>(stage, args, run, step, numbers, shared);
    meet();
  }
  if (shared.stretches == 1) return;
  const uint32_t last = gridDim.x - 1 - blockIdx.x;  // those without a task first
  for (uint32_t head = last; head < args.heads; head += gridDim.x) {
    join_stretches<kWidth>(stage, args, head, shared.stretches, run, step, numbers);
    meet();
  }
}

}  // namespace linnet::cuda
