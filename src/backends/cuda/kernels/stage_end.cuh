// What a stage of a decoder layer does with pairs of its products' outputs.
#pragma once

#include "backends/cuda/kernels/activate.cuh"
#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace linnet::cuda {

// The two rows of the weight that make pair p, and what the end has to do with them.
struct Pair {
  uint32_t first;
  uint32_t second;
  uint32_t head;     // rope_and_store
  uint32_t element;  // of the first within its head
  uint32_t second_element;
  uint32_t angle;  // ~0: not rotated
};

__device__ __forceinline__ Pair turned_pair(const StageArgs& args, uint32_t p) {
  Pair pair{};
  const uint32_t width = args.pages.width;
  const uint32_t j = p % (width / 2);
  pair.head = p / (width / 2);
  pair.element = 2 * j;
  pair.second_element = 2 * j + 1;
  pair.angle = ~0u;
  if (pair.head < args.heads + args.pages.kv_heads && j < args.rope_pairs) {
    pair.angle = j;
    if (args.pairs == RopePairs::halves) {
      pair.element = j;
      pair.second_element = j + args.rope_pairs;
    }
  }
  pair.first = pair.head * width + pair.element;
  pair.second = pair.head * width + pair.second_element;
  return pair;
}

template <StageArgs::Kind kKind>
__device__ __forceinline__ Pair pair_of(const StageArgs& args, uint32_t p) {
  if constexpr (kKind == StageArgs::Kind::rope_and_store) return turned_pair(args, p);
  if constexpr (kKind == StageArgs::Kind::gated) return {p, p + args.weight.rows / 2, 0, 0, 0, ~0u};
  return {2 * p, min(2 * p + 1, args.weight.rows - 1), 0, 0, 0, ~0u};
}

__device__ __forceinline__ Pair pair_of(const StageArgs& args, uint32_t p) {
  if (args.kind == StageArgs::Kind::gated) return pair_of<StageArgs::Kind::gated>(args, p);
  if (args.kind == StageArgs::Kind::rope_and_store) return turned_pair(args, p);
  return pair_of<StageArgs::Kind::linear>(args, p);
}

// Where a row's keys and values go: the element at which its token begins under head 0, ~0 for nowhere.
__device__ __forceinline__ uint64_t find_place(const StageArgs& args, uint32_t row, const Stamp& mark,
                                               KernelFailure* failure) {
  const int32_t slot = slot_of_row(args.pages, row, mark, failure);
  uint32_t position;
  if (slot < 0 || !position_of_row(args.pages, row, mark, failure, position)) return ~0ull;
  return place_of_token(args.pages, slot, position, 0, mark, failure);
}

// Cosine and sine by which a pair is turned.
__device__ __forceinline__ float2 turn_of(const StageArgs& args, const Pair& pair, uint32_t row) {
  if (pair.angle == ~0u) return {1, 0};
  return {load_number(args.angles, row, 2 * pair.angle), load_number(args.angles, row, 2 * pair.angle + 1)};
}

__device__ __forceinline__ void finish_rope(const StageArgs& args, const Pair& pair, uint32_t row,
                                            float2 turn, float first, float second, uint64_t token) {
  if (pair.angle != ~0u) {
    const float x = first;
    first = x * turn.x - second * turn.y;
    second = x * turn.y + second * turn.x;
  }
  if (pair.head < args.heads) {
    const uint32_t column = pair.head * args.pages.width;
    store_number(args.out, row, column + pair.element, first);
    store_number(args.out, row, column + pair.second_element, second);
    return;
  }
  const bool key = pair.head < args.heads + args.pages.kv_heads;
  const uint32_t head = pair.head - args.heads - (key ? 0 : args.pages.kv_heads);
  if (token == ~0ull) return;
  const uint64_t place = token + uint64_t{head} * 64 * args.pages.width;
  std::byte* cache = key ? args.k_cache : args.v_cache;
  store_number(cache, args.cache_format, place + pair.element, first);
  store_number(cache, args.cache_format, place + pair.second_element, second);
}

__device__ __forceinline__ void finish(const StageArgs& args, const Pair& pair, uint32_t row, float first,
                                       float second, const uint64_t* places) {
  if (args.bias != nullptr) {
    first += args.bias[pair.first];
    second += args.bias[pair.second];
  }
  switch (args.kind) {
    case StageArgs::Kind::add:
      first += load_number(args.residual, row, pair.first);
      second += load_number(args.residual, row, pair.second);
      [[fallthrough]];
    case StageArgs::Kind::linear:
      store_number(args.out, row, pair.first, first);
      if (pair.second != pair.first) store_number(args.out, row, pair.second, second);
      return;
    case StageArgs::Kind::gated:
      store_number(args.out, row, pair.first, activate(args.activation, first) * second);
      return;
    case StageArgs::Kind::rope_and_store:
      finish_rope(args, pair, row, turn_of(args, pair, row), first, second, places[row]);
      return;
  }
}

}  // namespace linnet::cuda
