// Attention of one row in the walk. A block takes up to eight query heads that share a key head, a stretch of
// the tokens, and 64 columns of the values; its warps take 16 tokens in turn. Tokens stand in the rows of the
// products and heads in their columns, so that few heads waste little. The token that is being made comes
// with the queries, as words: the cache has it only for later runs.
#pragma once

#include "backends/cuda/kernels/matrix_units.cuh"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/walk_ring.cuh"
#include "backends/cuda/kernels/walk_tokens.cuh"

namespace linnet::cuda {

// The work of a block in one attention stage.
struct WalkHeads {
  uint32_t chunks;   // of at most eight heads of a group
  uint32_t columns;  // of values, in parts
  uint32_t stretches;
  uint32_t stretch;  // tokens

  __device__ __forceinline__ WalkHeads(const WalkArgs& args, uint32_t tokens) {
    const uint32_t group = args.heads / args.pages.kv_heads;
    chunks = (group + WalkShared::kHeads - 1) / WalkShared::kHeads;
    columns = args.pages.width / kValueColumns;
    const uint32_t most = max(1u, gridDim.x / (args.pages.kv_heads * chunks * columns));
    const uint32_t wanted = min((tokens + 255) / 256, most);
    stretch = wanted <= 1 ? max(tokens, 1u) : ((tokens + wanted - 1) / wanted + 63) / 64 * 64;
    stretches = max(1u, (tokens + stretch - 1) / stretch);
  }
  [[nodiscard]] __device__ __forceinline__ uint32_t tasks(const WalkArgs& args) const {
    return args.pages.kv_heads * chunks * columns * stretches;
  }
};

// Queries of the chunk, and key and value of the new token, out of the words of the stage before: all of a
// thread's are asked for at once.
template <uint32_t kWidth>
__device__ __forceinline__ void take_queries(const WalkArgs& args, const uint32_t* words, uint32_t tag,
                                             uint32_t first_head, uint32_t heads, uint32_t kv_head,
                                             WalkShared& shared) {
  constexpr uint32_t kQueries = WalkShared::kHeads * kWidth / kWalkThreads;
  static_assert(2 * kWidth <= kWalkThreads);
  const uint32_t* places[kQueries + 1];
#pragma unroll
  for (uint32_t j = 0; j < kQueries; ++j) {
    const uint32_t i = threadIdx.x + j * kWalkThreads;
    places[j] = i < heads * kWidth ? words + first_head * kWidth + i : nullptr;
  }
  const uint32_t element = threadIdx.x % kWidth;
  const bool key = threadIdx.x < kWidth;
  places[kQueries] = nullptr;
  if (threadIdx.x < 2 * kWidth)
    places[kQueries] = words + (args.heads + (key ? 0 : args.pages.kv_heads) + kv_head) * kWidth + element;
  uint32_t found[kQueries + 1];
#pragma unroll
  for (uint32_t j = 0; j <= kQueries; ++j) found[j] = places[j] != nullptr ? look(places[j]) : tag & 0xFFu;
  bool all;
  do {
    all = true;
#pragma unroll
    for (uint32_t j = 0; j <= kQueries; ++j) {
      if (fresh(found[j], tag)) continue;
      found[j] = look(places[j]);
      all = false;
    }
  } while (!all);
#pragma unroll
  for (uint32_t j = 0; j < kQueries; ++j) {
    const uint32_t i = threadIdx.x + j * kWalkThreads;
    shared.queries[i / kWidth * WalkShared::kQueryStride + i % kWidth] =
        __float2bfloat16_rn(number_of(found[j]));
  }
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
  const uint32_t column = task / all.stretches % all.columns * kValueColumns;
  const uint32_t chunk = task / all.stretches / all.columns % all.chunks;
  const uint32_t kv_head = task / all.stretches / all.columns / all.chunks;
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
  WalkTokens<kWidth> state;
  uint32_t token = begin + 16 * warp;
  uint64_t page = 0;
  if (token < end) {
    page = page_of(token);
    state.load_keys(stage, page, token, end);
    if (state.kValuesEarly) state.load_values(stage, page, token, end, column);
  }
  take_queries<kWidth>(args, args.words + stage.in, run * args.uses + stage.in_use, first_head, heads,
                       kv_head, shared);
  meet();
  while (token < end) {
    const uint32_t next = token + 16 * kWalkWarps;
    const uint64_t next_page = next < end ? page_of(next) : 0;
    float scores[4] = {};
    state.take_keys(scores, token, end, scale, shared);
    if (!state.kValuesEarly) state.load_values(stage, page, token, end, column);
    if (next < end) state.load_keys(stage, next_page, next, end);
    state.take_values(scores);
    if (state.kValuesEarly && next < end) state.load_values(stage, next_page, next, end, column);
    token = next;
    page = next_page;
  }
  const uint32_t parts = min(kWalkWarps, end > begin ? (end - begin + 15) / 16 : 0);
  if (warp < parts) state.keep(work + warp * heads * (2 + kValueColumns), heads);
  const uint32_t scored = kWalkWarps - 1 - warp;
  if (scored < heads) {  // the new token's score
    float score = 0;
    for (uint32_t i = threadIdx.x % 32; i < kWidth; i += 32)
      score += __bfloat162float(shared.queries[scored * WalkShared::kQueryStride + i]) * shared.key[i];
    score = warp_sum(score);
    if (threadIdx.x % 32 == 0) shared.scores[scored] = score * scale;
  }
  meet();
  const bool newest = stretch + 1 == all.stretches;
  for (uint32_t i = threadIdx.x; i < heads * kValueColumns; i += kWalkThreads) {
    const uint32_t head = i / kValueColumns;
    const uint32_t element = i % kValueColumns;
    const float* theirs = work + head * (2 + kValueColumns);
    const uint32_t apart = heads * (2 + kValueColumns);
    WalkJoin join;
    if (newest) join.largest = shared.scores[head];
#pragma unroll 4
    for (uint32_t part = 0; part < parts; ++part) join.largest = fmaxf(join.largest, theirs[part * apart]);
    if (newest) {
      join.sum = exp2f(shared.scores[head] - join.largest);
      join.value = join.sum * shared.value[column + element];
    }
#pragma unroll 4
    for (uint32_t part = 0; part < parts; ++part) {
      const float factor = exp2f(theirs[part * apart] - join.largest);
      join.sum += factor * theirs[part * apart + 1];
      join.value += factor * theirs[part * apart + 2 + element];
    }
    if (all.stretches == 1) {
      put_word(args.words + stage.out + (first_head + head) * kWidth + column + element,
               join.value / join.sum, run * args.uses + stage.out_use);
      continue;
    }
    uint2* to = args.partials + ((first_head + head) * all.stretches + stretch) * (2 + kWidth);
    if (column + element == 0) {
      put_partial(to, join.largest, step);
      put_partial(to + 1, join.sum, step);
    }
    put_partial(to + 2 + column + element, join.value, step);
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

// All of a stage that is this block's. A function of its own: what it keeps in registers is not for the rest.
template <uint32_t kWidth>
__device__ __noinline__ void attention_stage(uint32_t i) {
  WalkShared& shared = walk_shared();
  const WalkArgs& args = shared.args;
  const WalkStage& stage = shared.stages[i % 4];
  const uint32_t run = shared.run;
  const uint32_t step = run * args.count + i;
  Stamp mark = shared.mark;
  mark.here = stage.line;
  KernelFailure* const failure = shared.failure;
  auto* numbers =
      reinterpret_cast<float*>(walk_ring() + args.slots * slot_bytes(args.format == Format::q8_0));
  const WalkHeads all(args, shared.slot < 0 ? 0 : shared.position);
  const uint32_t me = share_of(stage).me;
  for (uint32_t task = me; task < all.tasks(args); task += gridDim.x) {
    attend<kWidth>(stage, args, all, task, run, step, numbers, shared, mark, failure);
    meet();
  }
  if (all.stretches == 1) return;
  const uint32_t last = gridDim.x - 1 - me;  // those without a task first
  for (uint32_t head = last; head < args.heads; head += gridDim.x) {
    join_stretches<kWidth>(stage, args, head, all.stretches, run, step, numbers);
    meet();
  }
}

}  // namespace linnet::cuda
