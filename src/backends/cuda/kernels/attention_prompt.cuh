// What a warp of the kernel for prompts does with a page of keys and values in shared memory: it multiplies
// them with 16 or 32 rows of queries, and the softmax runs along.
//
// Tiles lie in shared memory row after row, and 16 bytes of row r stand at the place of their number xor
// r mod 8: eight rows of a matrix are then on different banks.
//
// Weights of the softmax go into the second product as two 16-bit numbers each. Rounded to one they would be
// off by up to half of what storing the result may cost, not of the result but of every weighted value: more
// than the tolerance where values cancel.
#pragma once

#include <type_traits>

#include "backends/cuda/kernels/attention_work.cuh"
#include "backends/cuda/kernels/matrix_units.cuh"

namespace linnet::cuda::prompt {

inline constexpr uint32_t kWarps = 4;
inline constexpr uint32_t kThreads = 32 * kWarps;
inline constexpr uint32_t kTileRows = 16 * kWarps;  // of queries; a block has one or two tiles
inline constexpr uint32_t kTokens = kStretchUnit;   // a page

template <uint32_t kWidth, uint32_t kTiles>
struct Layout {
  static constexpr uint32_t kRowBytes = 2 * kWidth;
  static constexpr uint32_t kPieces = kWidth / 8;  // of 16 bytes, in a row
  static constexpr uint32_t kQueries = kTiles * kTileRows * kRowBytes;
  static constexpr uint32_t kPage = kTokens * kRowBytes;
  // Queries; two of: a page of keys, a page of values; the last token that each row of queries sees.
  static constexpr uint32_t kLimits = kQueries + 4 * kPage;
  static constexpr uint32_t kBytes = kLimits + kTiles * kTileRows * sizeof(int32_t);

  // The keys of the page that begins with `token`; its values follow.
  __device__ static uint32_t pages_at(uint32_t token) { return kQueries + token / kTokens % 2 * 2 * kPage; }
  __device__ static uint32_t place(uint32_t row, uint32_t piece) {
    return row * kRowBytes + (piece ^ row % 8) * 16;
  }
};

// The rows of a block: `count` of the batch from `first` on, all of one slot; none if it is negative.
struct Rows {
  int32_t slot = -1;
  uint32_t first = 0;
  uint32_t count = 0;
};

// Every sequence has its rows in tiles of `most`; this finds tile `wanted` of all. Called by whole warps.
__device__ __forceinline__ Rows find_rows(const Pages& pages, uint32_t wanted, uint32_t most,
                                          const Stamp& mark, KernelFailure* failure) {
  const uint32_t lane = threadIdx.x % 32;
  for (uint32_t round = 0; round < pages.sequences; round += 32) {
    const uint32_t sequence = round + lane;
    Rows rows;
    uint32_t tiles = 0;
    if (sequence < pages.sequences) {
      const int32_t begin = pages.row_starts[sequence];
      const int32_t end = pages.row_starts[sequence + 1];
      if (begin < end && in_range(begin, pages.rows, FailedCheck::row_starts, mark, failure) &&
          in_range(end - 1, pages.rows, FailedCheck::row_starts, mark, failure)) {
        rows = {pages.sequence_slots[sequence], static_cast<uint32_t>(begin),
                static_cast<uint32_t>(end - begin)};
        tiles = (rows.count + most - 1) / most;
      }
    }
    uint32_t until = tiles;  // those of all lanes up to this one
#pragma unroll
    for (uint32_t offset = 1; offset < 32; offset *= 2) {
      const uint32_t theirs = __shfl_up_sync(~0u, until, offset);
      if (lane >= offset) until += theirs;
    }
    const uint32_t votes = __ballot_sync(~0u, wanted < until);
    if (votes == 0) {
      wanted -= __shfl_sync(~0u, until, 31);
      continue;
    }
    const int source = __ffs(static_cast<int>(votes)) - 1;
    const uint32_t skipped = (wanted - __shfl_sync(~0u, until - tiles, source)) * most;
    rows.slot = __shfl_sync(~0u, rows.slot, source);
    rows.first = __shfl_sync(~0u, rows.first, source) + skipped;
    rows.count = min(__shfl_sync(~0u, rows.count, source) - skipped, most);
    if (!in_range(rows.slot, pages.slots, FailedCheck::sequence_slots, mark, failure)) rows.slot = -1;
    return rows;
  }
  return {};
}

// Where the queries of a block come from. Its tiles have the same rows of heads that share a key head (heads
// = kTiles), or one head's next rows each (heads = 1).
template <uint32_t kTiles>
struct Queries {
  Rows rows;
  uint32_t first_head;
  uint32_t heads;

  [[nodiscard]] __device__ uint32_t row(uint32_t slot) const {
    return heads == kTiles ? slot % kTileRows : slot;
  }
  [[nodiscard]] __device__ uint32_t head(uint32_t slot) const {
    return heads == kTiles ? first_head + slot / kTileRows : first_head;
  }
};

// The last token that each of the block's rows of queries sees, -1 where there is no row. How many tokens any
// of them sees: 0 if there is none. Called by all threads.
template <uint32_t kTiles>
__device__ __forceinline__ uint32_t find_limits(const Pages& pages, const Queries<kTiles>& of,
                                                int32_t* limits, const Stamp& mark, KernelFailure* failure) {
  bool any = false;
  for (uint32_t i = threadIdx.x; i < kTiles * kTileRows; i += blockDim.x) {
    uint32_t position = 0;
    const bool there = of.row(i) < of.rows.count &&
                       position_of_row(pages, of.rows.first + of.row(i), mark, failure, position);
    limits[i] = there ? static_cast<int32_t>(position) : -1;
    any |= there;
  }
  if (__syncthreads_or(any ? 1 : 0) == 0) return 0;
  int32_t last = -1;
  for (uint32_t i = threadIdx.x % 32; i < kTiles * kTileRows; i += 32) last = max(last, limits[i]);
#pragma unroll
  for (uint32_t offset = 16; offset > 0; offset /= 2) last = max(last, __shfl_xor_sync(~0u, last, offset));
  return static_cast<uint32_t>(last) + 1;
}

// Asks for the block's queries, by all threads; rows that are not there are zeros.
template <uint32_t kWidth, uint32_t kTiles>
__device__ __forceinline__ void fetch_queries(const AttentionArgs& args, const Queries<kTiles>& of,
                                              uint32_t to) {
  using In = Layout<kWidth, kTiles>;
  for (uint32_t i = threadIdx.x; i < kTiles * kTileRows * In::kPieces; i += blockDim.x) {
    const uint32_t slot = i / In::kPieces;
    const uint32_t piece = i % In::kPieces;
    const bool there = of.row(slot) < of.rows.count;
    const uint64_t from = there ? (of.rows.first + of.row(slot)) * args.q.stride + of.head(slot) * kWidth : 0;
    copy_16(to + In::place(slot, piece), args.q.data + 2 * from + 16 * piece, there);
  }
}

// Which of the block's rows of queries this lane has: of its warp's 16 in a tile lane / 4 and lane / 4 + 8.
__device__ __forceinline__ uint32_t slot_of(uint32_t tile, uint32_t half) {
  return tile * kTileRows + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + 8 * half;
}

// The last tokens that all of a warp's rows see, and that any does.
struct Seen {
  int32_t by_all;
  int32_t by_any;
};

template <uint32_t kTiles>
__device__ __forceinline__ Seen seen_by_warp(const int32_t* limits) {
  Seen seen{INT32_MAX, -1};
#pragma unroll
  for (uint32_t i = 0; i < 2 * kTiles; ++i) {
    const int32_t limit = limits[slot_of(i / 2, i % 2)];
    seen = {min(seen.by_all, limit), max(seen.by_any, limit)};
  }
#pragma unroll
  for (uint32_t offset = 4; offset < 32; offset *= 2) {
    seen.by_all = min(seen.by_all, __shfl_xor_sync(~0u, seen.by_all, offset));
    seen.by_any = max(seen.by_any, __shfl_xor_sync(~0u, seen.by_any, offset));
  }
  return seen;
}

// The softmax of a thread's two rows of a tile, token after token: scores of kAtOnce at a time become
// weights.
template <class T, uint32_t kAtOnce>
struct Softmax {
  using Scores = float (&)[kAtOnce / 8][4];
  // Weights are at most 2^kLift: small ones stay normal numbers in F16, too.
  static constexpr float kLift = std::is_same_v<T, __half> ? 15.0f : 0.0f;
  float base[2] = {-INFINITY, -INFINITY};  // a whole power of two: to go from one to the next rounds nothing
  float sum[2] = {};

  // Scores of tokens behind the last that a row sees; `tile` is which of the block's.
  __device__ __forceinline__ static void hide(uint32_t token, uint32_t tile, const int32_t* limits,
                                              Scores scores) {
    const int32_t first = static_cast<int32_t>(token + threadIdx.x % 4 * 2);
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      const int32_t limit = limits[slot_of(tile, half)] - first;
#pragma unroll
      for (int32_t n = 0; n < static_cast<int32_t>(kAtOnce / 8); ++n) {
        if (8 * n > limit) scores[n][2 * half] = -INFINITY;
        if (8 * n + 1 > limit) scores[n][2 * half + 1] = -INFINITY;
      }
    }
  }

  // Scores become weights. What was summed before has to be multiplied with `factor`, of each row; false if
  // that is 1.
  __device__ __forceinline__ bool weigh(Scores scores, float scale, float (&factor)[2]) {
    bool moved = false;
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      float most = -INFINITY;
#pragma unroll
      for (uint32_t n = 0; n < kAtOnce / 8; ++n)
        most = fmaxf(most, fmaxf(scores[n][2 * half], scores[n][2 * half + 1]));
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
      const float before = base[half];
      base[half] = fmaxf(before, ceilf(most * scale));
      const float now = base[half] == -INFINITY ? 0.0f : base[half];
      factor[half] = power_of_two(before - now);
      moved |= factor[half] != 1.0f;
      float more = 0;
#pragma unroll
      for (uint32_t n = 0; n < kAtOnce / 8; ++n) {
#pragma unroll
        for (uint32_t j = 2 * half; j < 2 * half + 2; ++j) {
          scores[n][j] = power_of_two(fmaf(scores[n][j], scale, kLift - now));
          more += scores[n][j];
        }
      }
      sum[half] = fmaf(sum[half], factor[half], more);
    }
    return moved;
  }

  // What weighted values are multiplied with at the end. Called by whole warps.
  [[nodiscard]] __device__ __forceinline__ float share(uint32_t half) const {
    float all = sum[half];
    all += __shfl_xor_sync(~0u, all, 1);
    all += __shfl_xor_sync(~0u, all, 2);
    return 1 / all;
  }
};

// What a warp keeps of its rows: 16 of each tile.
template <class T, uint32_t kWidth, uint32_t kTiles>
struct WarpRows {
  using In = Layout<kWidth, kTiles>;
  // Tokens whose scores are held: with 64 of them the largest of these kernels has too few registers.
  static constexpr uint32_t kAtOnce = kTiles * kWidth > 128 ? 32 : kTokens;
  float out[kTiles][kWidth / 8][4] = {};
  Softmax<T, kAtOnce> softmax[kTiles];

  // The page that begins with `token`; `limits` has the last token of every row of queries, `seen` those of
  // this warp's.
  __device__ __forceinline__ void take(uint32_t queries, uint32_t keys, uint32_t token, const int32_t* limits,
                                       Seen seen, float scale) {
#pragma unroll 1
    for (uint32_t at = 0; at < kTokens; at += kAtOnce) {
      if (static_cast<int32_t>(token + at) > seen.by_any) return;
      float scores[kTiles][kAtOnce / 8][4] = {};
      multiply_keys(queries, keys + at * In::kRowBytes, scores);
      if (static_cast<int32_t>(token + at + kAtOnce - 1) > seen.by_all) {
#pragma unroll
        for (uint32_t i = 0; i < kTiles; ++i) Softmax<T, kAtOnce>::hide(token + at, i, limits, scores[i]);
      }
      weigh(scores, scale);
      add_values(keys + In::kPage + at * In::kRowBytes, scores);
    }
  }

 private:
  using Scores = float (&)[kTiles][kAtOnce / 8][4];

  __device__ __forceinline__ static void multiply_keys(uint32_t queries, uint32_t keys, Scores scores) {
    const uint32_t warp = threadIdx.x / 32;
    const uint32_t lane = threadIdx.x % 32;
    // Matrices of a query's fragment: rows 0–7, rows 8–15, then the same of the next 8 numbers. Of two keys'
    // fragments: tokens 0–7, their next 8 numbers, then the same of tokens 8–15.
    const uint32_t q_at = queries + In::place(16 * warp + lane % 16, lane / 16);
    const uint32_t k_at = keys + In::place(lane % 8 + lane / 16 * 8, lane / 8 % 2);
#pragma unroll
    for (uint32_t piece = 0; piece < In::kPieces; piece += 2) {
      uint32_t q[kTiles][4];
#pragma unroll
      for (uint32_t i = 0; i < kTiles; ++i)
        load_matrices(q[i], (q_at ^ piece * 16) + i * kTileRows * In::kRowBytes);
#pragma unroll
      for (uint32_t n = 0; n < kAtOnce / 8; n += 2) {
        uint32_t k[4];
        load_matrices(k, (k_at ^ piece * 16) + n * 8 * In::kRowBytes);
#pragma unroll
        for (uint32_t i = 0; i < kTiles; ++i) {
          multiply_add<T>(scores[i][n], q[i], k[0], k[1]);
          multiply_add<T>(scores[i][n + 1], q[i], k[2], k[3]);
        }
      }
    }
  }

  // Scores become weights; what was summed before is brought to the new base.
  __device__ __forceinline__ void weigh(Scores scores, float scale) {
    float factor[kTiles][2];
    bool moved = false;
#pragma unroll
    for (uint32_t i = 0; i < kTiles; ++i) moved |= softmax[i].weigh(scores[i], scale, factor[i]);
    if (!__any_sync(~0u, moved)) return;
#pragma unroll
    for (uint32_t i = 0; i < kTiles; ++i) {
#pragma unroll
      for (uint32_t n = 0; n < kWidth / 8; ++n) {
#pragma unroll
        for (uint32_t j = 0; j < 4; ++j) out[i][n][j] *= factor[i][j / 2];
      }
    }
  }

  __device__ __forceinline__ void add_values(uint32_t values, Scores weights) {
    const uint32_t lane = threadIdx.x % 32;
    // Matrices: tokens 0–7, tokens 8–15, then the same of the next 8 numbers.
    const uint32_t v_at = values + In::place(lane % 16, lane / 16);
#pragma unroll
    for (uint32_t t = 0; t < kAtOnce / 8; t += 2) {
      uint32_t high[kTiles][4];
      uint32_t low[kTiles][4];
#pragma unroll
      for (uint32_t i = 0; i < kTiles; ++i) {
#pragma unroll
        for (uint32_t j = 0; j < 4; ++j)
          split<T>(weights[i][t + j / 2][j % 2 * 2], weights[i][t + j / 2][j % 2 * 2 + 1], high[i][j],
                   low[i][j]);
      }
#pragma unroll
      for (uint32_t n = 0; n < In::kPieces; n += 4) {
        uint32_t v[2][4];
#pragma unroll
        for (uint32_t m = 0; m < 2; ++m)
          load_transposed(v[m], (v_at ^ (n + 2 * m) * 16) + t * 8 * In::kRowBytes);
        const auto add = [&](const uint32_t(&part)[kTiles][4]) {
#pragma unroll
          for (uint32_t i = 0; i < kTiles; ++i) {
#pragma unroll
            for (uint32_t m = 0; m < 4; ++m)
              multiply_add<T>(out[i][n + m], part[i], v[m / 2][m % 2 * 2], v[m / 2][m % 2 * 2 + 1]);
          }
        };
        add(high);
        add(low);
      }
    }
  }
};

}  // namespace linnet::cuda::prompt
