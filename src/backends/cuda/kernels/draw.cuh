// The draw of one row's token, by a whole block or the first of its threads. Probabilities are summed as
// integers (units of 2^-40), so that no order of threads shows in the draw; prefixes in descending order of
// the logits are found by their digits, eight bits at a time, without sorting.
#pragma once

#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"
#include "base/philox.h"

namespace linnet::cuda {

// The threads that draw together, and the barrier at which they meet.
template <uint32_t kBarrier, uint32_t kCount>
struct Drawers {
  static constexpr uint32_t kThreads = kCount;
  static_assert(kThreads % 32 == 0 && kThreads <= 1024);
  __device__ __forceinline__ static void meet() {
    asm volatile("bar.sync %0, %1;" ::"n"(kBarrier), "n"(kThreads) : "memory");
  }
  // Whether it is true of any of them.
  __device__ __forceinline__ static bool any(bool mine) {
    uint32_t all;
    asm volatile(
        "{\n.reg .pred p, q;\nsetp.ne.u32 p, %1, 0;\nbar.red.or.pred q, %2, %3, p;\nselp.u32 %0, 1, 0, "
        "q;\n}"
        : "=r"(all)
        : "r"(mine ? 1u : 0u), "n"(kBarrier), "n"(kThreads)
        : "memory");
    return all != 0;
  }
};

// A logit and its token; the larger logit is more, the smaller token among equals, and NaN is nothing.
struct Largest {
  float logit;
  uint32_t token;

  __device__ __forceinline__ static Largest none() { return {-INFINITY, 0xFFFFFFFFu}; }
  __device__ __forceinline__ void look(float other, uint32_t other_token) {
    if (isnan(other)) other = -INFINITY;
    if (other < logit || (other == logit && other_token >= token)) return;
    logit = other;
    token = other_token;
  }
  __device__ __forceinline__ void look_at_warp() {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
      look(__shfl_xor_sync(~0u, logit, offset), __shfl_xor_sync(~0u, token, offset));
  }
};

inline constexpr double kOne = 0x1p40;

// How a slot draws.
struct DrawParams {
  float temperature;
  int32_t top_k;
  float top_p;
  uint32_t seed_low;
  uint32_t seed_high;
};

struct DrawShared {
  unsigned long long bins[256];
  unsigned long long before;  // sum of what comes before the digit that was chosen
  uint32_t prefix;
  bool found;
  Largest of_warp[32];
  Largest largest;
  uint32_t counts[32];
  uint32_t seen;  // tokens of one key so far
  uint32_t token;
};

// Larger logits have larger keys; a NaN is impossible.
__device__ __forceinline__ uint32_t key_of(float logit) {
  if (isnan(logit)) logit = -INFINITY;
  if (logit == 0) logit = 0;  // −0 is 0
  const uint32_t bits = __float_as_uint(logit);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ float logit_of(uint32_t key) {
  return __uint_as_float(key & 0x80000000u ? key & 0x7FFFFFFFu : ~key);
}

__device__ __forceinline__ unsigned long long weight_of(float logit, float largest, float temperature) {
  return __double2ull_rn(
      exp((static_cast<double>(logit) - static_cast<double>(largest)) / static_cast<double>(temperature)) *
      kOne);
}

// The largest of all, in shared.largest.
template <class Group>
__device__ __forceinline__ void find_largest(Largest mine, DrawShared& shared) {
  const uint32_t warp = threadIdx.x / 32;
  const uint32_t lane = threadIdx.x % 32;
  mine.look_at_warp();
  if (lane == 0) shared.of_warp[warp] = mine;
  Group::meet();
  if (warp == 0) {
    Largest all = lane < Group::kThreads / 32 ? shared.of_warp[lane] : Largest::none();
    all.look_at_warp();
    if (lane == 0) shared.largest = all;
  }
  Group::meet();
}

// Goes down the digits of the keys above `floor`: the key at which the running sum of measure(logit), in
// descending order, first satisfies reached(sum). shared.found is false if it never does; shared.before is
// the sum of all larger keys, or of all.
template <class Group, class Measure, class Reached>
__device__ uint32_t find_key(const float* logits, uint32_t vocabulary, bool bounded, uint32_t floor,
                             DrawShared& shared, Measure&& measure, Reached&& reached) {
  if (threadIdx.x == 0) {
    shared.before = 0;
    shared.prefix = 0;
    shared.found = true;
  }
  for (int shift = 24; shift >= 0; shift -= 8) {
    for (uint32_t i = threadIdx.x; i < 256; i += Group::kThreads) shared.bins[i] = 0;
    Group::meet();
    const uint32_t prefix = shared.prefix;
    for (uint32_t i = threadIdx.x; i < vocabulary; i += Group::kThreads) {
      const uint32_t key = key_of(logits[i]);
      if (bounded && key <= floor) continue;
      if (shift < 24 && key >> (shift + 8) != prefix) continue;
      atomicAdd(&shared.bins[key >> shift & 255], measure(logit_of(key)));
    }
    Group::meet();
    if (threadIdx.x == 0) {
      int digit = 255;
      while (digit >= 0 && !(shared.bins[digit] != 0 && reached(shared.before + shared.bins[digit]))) {
        shared.before += shared.bins[digit];
        --digit;
      }
      shared.found = digit >= 0;
      shared.prefix = prefix << 8 | static_cast<uint32_t>(digit < 0 ? 0 : digit);
    }
    Group::meet();
    if (!shared.found) return 0;
  }
  return shared.prefix;
}

// The token that is number `rank` among those of one key, in ascending order.
template <class Group>
__device__ uint32_t token_of_rank(const float* logits, uint32_t vocabulary, uint32_t key, uint32_t rank,
                                  DrawShared& shared) {
  if (threadIdx.x == 0) {
    shared.seen = 0;
    shared.token = 0xFFFFFFFFu;
  }
  Group::meet();
  for (uint32_t begin = 0; begin < vocabulary; begin += Group::kThreads) {
    const uint32_t i = begin + threadIdx.x;
    const bool here = i < vocabulary && key_of(logits[i]) == key;
    const uint32_t votes = __ballot_sync(~0u, here);
    const uint32_t warp = threadIdx.x / 32;
    const uint32_t lane = threadIdx.x % 32;
    if (lane == 0) shared.counts[warp] = __popc(votes);
    Group::meet();
    uint32_t before = shared.seen;
    for (uint32_t w = 0; w < warp; ++w) before += shared.counts[w];
    before += __popc(votes & ((1u << lane) - 1));
    if (here && before == rank) shared.token = i;
    Group::meet();
    if (threadIdx.x == Group::kThreads - 1) shared.seen = before + (here ? 1 : 0);
    Group::meet();
    if (shared.token != 0xFFFFFFFFu) break;
  }
  return shared.token;
}

template <class Group>
__device__ uint32_t draw(const float* logits, uint32_t vocabulary, const DrawParams& params,
                         uint32_t position, DrawShared& shared) {
  if (!(params.temperature > 0)) return shared.largest.token;
  const float largest = shared.largest.logit;
  const auto weigh = [&](float logit) { return weight_of(logit, largest, params.temperature); };
  const auto count = [](float) { return 1ull; };

  // The end of what may be drawn: all keys above `floor`, and of that key the first `ties` tokens.
  bool bounded = false;
  uint32_t floor = 0;
  unsigned long long ties = 0;
  if (params.top_k > 0 && static_cast<uint32_t>(params.top_k) < vocabulary) {
    const auto wanted = static_cast<unsigned long long>(params.top_k);
    floor = find_key<Group>(logits, vocabulary, false, 0, shared, count,
                            [&](unsigned long long sum) { return sum >= wanted; });
    bounded = true;
    ties = wanted - shared.before;
    Group::meet();
  }
  const unsigned long long tie_weight = bounded ? weigh(logit_of(floor)) : 0;
  static_cast<void>(find_key<Group>(logits, vocabulary, bounded, floor, shared, weigh,
                                    [](unsigned long long) { return false; }));
  unsigned long long mass = shared.before + ties * tie_weight;
  Group::meet();
  if (params.top_p < 1.0f) {
    const double wanted = static_cast<double>(params.top_p) * static_cast<double>(mass);
    const uint32_t key =
        find_key<Group>(logits, vocabulary, bounded, floor, shared, weigh,
                        [&](unsigned long long sum) { return static_cast<double>(sum) >= wanted; });
    const bool above = shared.found;
    const unsigned long long before = shared.before;
    Group::meet();
    const unsigned long long weight = above ? weigh(logit_of(key)) : tie_weight;
    if (above || (bounded && weight != 0)) {
      if (above) floor = key;
      bounded = true;
      const double missing = (wanted - static_cast<double>(before)) / static_cast<double>(weight);
      const unsigned long long needed = missing <= 1 ? 1 : static_cast<unsigned long long>(ceil(missing));
      ties = above ? needed : min(ties, needed);
      mass = before + ties * weight;
    }
  }
  const uint64_t seed = static_cast<uint64_t>(params.seed_high) << 32 | params.seed_low;
  const double threshold = static_cast<double>(philox_uniform(seed, position)) * static_cast<double>(mass);
  const uint32_t key =
      find_key<Group>(logits, vocabulary, bounded, floor, shared, weigh,
                      [&](unsigned long long sum) { return static_cast<double>(sum) > threshold; });
  const bool above = shared.found;
  const unsigned long long before = shared.before;
  Group::meet();
  if (!above && (!bounded || ties == 0)) return shared.largest.token;
  const uint32_t drawn = above ? key : floor;
  const unsigned long long weight = weigh(logit_of(drawn));
  const double rank =
      weight == 0 ? 0 : ::floor((threshold - static_cast<double>(before)) / static_cast<double>(weight));
  unsigned long long index = rank < 0 ? 0 : static_cast<unsigned long long>(rank);
  if (!above && index >= ties) index = ties - 1;
  const uint32_t token =
      token_of_rank<Group>(logits, vocabulary, drawn, static_cast<uint32_t>(index), shared);
  return token == 0xFFFFFFFFu ? shared.largest.token : token;
}

// What a row's draw needs to know of its slot, by every thread.
struct DrawSlot {
  int32_t slot = -1;
  int32_t first_stop = -1;  // of those that end a sequence, this thread's first
  int32_t remaining = 0;
  int32_t position = 0;
  int32_t words[5] = {};
  bool known = false;

  // Two ways to memory, one after the other: other things may be on their way meanwhile.
  __device__ __forceinline__ void ask_which(const SampleArgs& args, uint32_t row) {
    slot = args.slots[row];
    if (threadIdx.x < args.stop_count) first_stop = args.stop_ids[threadIdx.x];
  }
  __device__ __forceinline__ void ask_for_state(const SampleArgs& args, const Stamp& mark,
                                                KernelFailure* failure) {
    known = in_range(slot, args.slot_count, FailedCheck::slots, mark, failure);
    if (!known) return;
    remaining = args.remaining[slot];
    position = args.positions[slot];
#pragma unroll
    for (uint32_t i = 0; i < 5; ++i) words[i] = args.params[static_cast<uint64_t>(slot) * 8 + i];
  }
  [[nodiscard]] __device__ __forceinline__ DrawParams params() const {
    return {__int_as_float(words[0]), words[1], __int_as_float(words[2]), static_cast<uint32_t>(words[3]),
            static_cast<uint32_t>(words[4])};
  }
};

// Draws, where shared.largest is known, and advances the slot.
template <class Group>
__device__ void draw_and_advance(const SampleArgs& args, const float* logits, const DrawSlot& of,
                                 const Stamp& mark, KernelFailure* failure, DrawShared& shared) {
  if (!of.known || of.remaining <= 0) return;
  if (!in_range(of.position, 0x7FFFFFFFu, FailedCheck::positions, mark, failure)) return;
  const auto position = static_cast<uint32_t>(of.position);
  const auto drawn =
      static_cast<int32_t>(draw<Group>(logits, args.logits.columns, of.params(), position, shared));
  bool stop = of.first_stop == drawn;
  for (uint32_t i = threadIdx.x + Group::kThreads; i < args.stop_count; i += Group::kThreads)
    stop = stop || args.stop_ids[i] == drawn;
  const bool stops = Group::any(stop);
  if (threadIdx.x != 0) return;
  args.ring[static_cast<uint64_t>(of.slot) * args.ring_length + position % args.ring_length] = drawn;
  args.tokens[of.slot] = drawn;
  args.positions[of.slot] = of.position + 1;
  args.remaining[of.slot] = stops ? 0 : of.remaining - 1;
}

}  // namespace linnet::cuda
