// The draw of one row's token, by a whole block or the first of its threads. Probabilities are summed as
// integers (units of 2^-40), so that no order of threads shows in the draw; prefixes in descending order of
// the logits are found by their digits, eight bits at a time, without sorting.
#pragma once

#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"
#include "base/philox.h"

namespace linnet::cuda {

// The threads that draw together, the barrier at which they meet, and how many logits each asks for at once:
// from memory that takes long, so several should be on their way.
template <uint32_t kBarrier, uint32_t kCount, uint32_t kLogits>
struct Drawers {
  static constexpr uint32_t kThreads = kCount;
  static constexpr uint32_t kAtOnce = kLogits;
  static_assert(kThreads % 32 == 0 && kThreads <= 1024);
  __device__ __forceinline__ static void meet() { meet_at<kBarrier, kThreads>(); }
  // Whether it is true of any of them.
  __device__ __forceinline__ static bool any(bool mine) { return any_at<kBarrier, kThreads>(mine); }
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
inline constexpr float kNothing = 29;  // e to the minus that is less than half a unit

// How a slot draws.
struct DrawParams {
  float temperature;
  int32_t top_k;
  float top_p;
  uint32_t seed_low;
  uint32_t seed_high;
};

// Amounts below 2^42 are summed in three parts of 14 bits each: numbers of 32 bits can be added to in shared
// memory at once, those of 64 take a loop for each lane. So many amounts fit.
inline constexpr uint32_t kPartBits = 14;
inline constexpr uint32_t kAmounts = 1u << (32 - kPartBits);
static_assert(kOne < 0x1p42);

struct DrawShared {
  unsigned long long bins[256];
  uint32_t parts[256][3];     // of what is being added to the bins
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

// In units; nothing where it would be less than half of one.
__device__ __forceinline__ unsigned long long weight_of(float logit, float largest, float temperature) {
  if (logit - largest < -kNothing * temperature) return 0;
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

// Which keys count: all, or those above one.
struct DrawBounds {
  bool bounded = false;
  uint32_t floor = 0;
};

// Every logit with its token, by whole warps: each(logit, token, whether there is one).
template <class Group, class Each>
__device__ __forceinline__ void for_each_logit(const float* logits, uint32_t vocabulary, Each&& each) {
  constexpr uint32_t kAtOnce = Group::kAtOnce;
  for (uint32_t begin = 0; begin < vocabulary; begin += kAtOnce * Group::kThreads) {
    float some[kAtOnce] = {};
#pragma unroll
    for (uint32_t j = 0; j < kAtOnce; ++j) {
      const uint32_t i = begin + j * Group::kThreads + threadIdx.x;
      if (i < vocabulary) some[j] = logits[i];
    }
#pragma unroll
    for (uint32_t j = 0; j < kAtOnce; ++j) {
      const uint32_t i = begin + j * Group::kThreads + threadIdx.x;
      each(some[j], i, i < vocabulary);
    }
  }
}

// Keys in order, as five digits of eight bits: steps from the largest logit down, which most keys have for
// themselves, and the key, which few do not that are left then. All that lies far below has the last step.
struct DrawDigits {
  static constexpr int kCount = 5;
  float largest;
  float steps;  // for each unit

  __device__ __forceinline__ DrawDigits(float from, float temperature)
      : largest(from), steps(255 / (kNothing * fmaxf(temperature, 1))) {}
  [[nodiscard]] __device__ __forceinline__ uint32_t first(uint32_t key) const {
    return 255 - min(255u, __float2uint_rz((largest - logit_of(key)) * steps));
  }
  // What comes before digit `number`, and that digit.
  struct Place {
    uint32_t before;
    uint32_t digit;
  };
  [[nodiscard]] __device__ __forceinline__ Place at(int number, uint32_t key) const {
    const uint32_t step = first(key);
    if (number == 0) return {0, step};
    const uint32_t digits = number == 1 ? 0 : key >> (40 - 8 * number);
    return {step << 8 * (number - 1) | digits, key >> (32 - 8 * number) & 255};
  }
};

__device__ __forceinline__ void add_parts(uint32_t (&parts)[3], unsigned long long amount) {
#pragma unroll
  for (uint32_t i = 0; i < 3; ++i) {
    const auto part = static_cast<uint32_t>(amount >> i * kPartBits) & ((1u << kPartBits) - 1);
    if (part != 0) atomicAdd(&parts[i], part);
  }
}

// The sums of measure(logit) by a digit, of all keys that have shared.prefix before it.
template <class Group, class Measure>
__device__ __forceinline__ void sum_by_digit(const float* logits, uint32_t vocabulary,
                                             const DrawDigits& digits, const DrawBounds& bounds, int number,
                                             DrawShared& shared, Measure&& measure) {
  for (uint32_t i = threadIdx.x; i < 256; i += Group::kThreads) {
    shared.bins[i] = 0;
    for (uint32_t& part : shared.parts[i]) part = 0;
  }
  Group::meet();
  const uint32_t prefix = shared.prefix;
  for (uint32_t first = 0; first < vocabulary; first += kAmounts) {
    for_each_logit<Group>(logits + first, min(vocabulary - first, kAmounts),
                          [&](float logit, uint32_t, bool here) {
                            const uint32_t key = key_of(logit);
                            const DrawDigits::Place place = digits.at(number, key);
                            here = here && !(bounds.bounded && key <= bounds.floor) && place.before == prefix;
                            if (here) add_parts(shared.parts[place.digit], measure(logit_of(key)));
                          });
    Group::meet();
    for (uint32_t i = threadIdx.x; i < 256; i += Group::kThreads) {
      for (uint32_t j = 0; j < 3; ++j) {
        shared.bins[i] += static_cast<unsigned long long>(shared.parts[i][j]) << j * kPartBits;
        shared.parts[i][j] = 0;
      }
    }
    Group::meet();
  }
}

// The digit at which the running sum, on from shared.before in descending order, first satisfies
// reached(sum): it is added to shared.prefix, and shared.before is the sum of all larger ones; of all, if it
// never does, and shared.found is false. By one warp, each lane eight digits.
template <class Group, class Reached>
__device__ __forceinline__ void choose_digit(DrawShared& shared, Reached&& reached) {
  constexpr uint32_t kDigits = 256 / 32;
  if (threadIdx.x < 32) {
    const uint32_t lane = threadIdx.x;
    const unsigned long long* const mine = shared.bins + 255 - kDigits * lane;
    unsigned long long sum = 0;
    for (uint32_t j = 0; j < kDigits; ++j) sum += *(mine - j);
    unsigned long long before = sum;
    for (uint32_t offset = 1; offset < 32; offset *= 2) {
      const unsigned long long other = __shfl_up_sync(~0u, before, offset);
      if (lane >= offset) before += other;
    }
    before += shared.before - sum;
    uint32_t digit = 0;
    bool found = false;
    for (uint32_t j = 0; j < kDigits && !found; ++j) {
      const unsigned long long here = *(mine - j);
      found = here != 0 && reached(before + here);
      if (found) digit = 255 - kDigits * lane - j;
      if (!found) before += here;
    }
    const uint32_t lanes = __ballot_sync(~0u, found);
    __syncwarp();
    const uint32_t chosen = lanes != 0 ? static_cast<uint32_t>(__ffs(static_cast<int>(lanes))) - 1 : 31;
    if (lane == chosen) {
      shared.before = before;
      shared.found = found;
      shared.prefix = shared.prefix << 8 | digit;
    }
  }
  Group::meet();
}

// Goes down the digits of the keys: the one at which the running sum of measure(logit), in descending order,
// first satisfies reached(sum). shared.found is false if it never does; shared.before is the sum of all
// larger keys, or of all. `summed`: the bins have the first digits already.
template <class Group, class Measure, class Reached>
__device__ __forceinline__ uint32_t find_key(const float* logits, uint32_t vocabulary,
                                             const DrawDigits& digits, const DrawBounds& bounds, bool summed,
                                             DrawShared& shared, Measure&& measure, Reached&& reached) {
  if (threadIdx.x == 0) {
    shared.before = 0;
    shared.prefix = 0;
    shared.found = true;
  }
  Group::meet();
#pragma unroll 1
  for (int number = 0; number < DrawDigits::kCount; ++number) {
    if (number > 0 || !summed)
      sum_by_digit<Group>(logits, vocabulary, digits, bounds, number, shared, measure);
    choose_digit<Group>(shared, reached);
    if (!shared.found) return 0;
  }
  return shared.prefix;  // the first of five digits has left it
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
  if (rank == 0) {  // as nearly always
    for_each_logit<Group>(logits, vocabulary, [&](float logit, uint32_t token, bool here) {
      if (here && key_of(logit) == key) atomicMin(&shared.token, token);
    });
    Group::meet();
    return shared.token;
  }
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

  // The end of what may be drawn: all keys above the floor, and of that key the first `ties` tokens.
  const DrawDigits digits(largest, params.temperature);
  DrawBounds bounds;
  unsigned long long ties = 0;
  if (params.top_k > 0 && static_cast<uint32_t>(params.top_k) < vocabulary) {
    const auto wanted = static_cast<unsigned long long>(params.top_k);
    const uint32_t floor = find_key<Group>(logits, vocabulary, digits, bounds, false, shared, count,
                                           [&](unsigned long long sum) { return sum >= wanted; });
    bounds = {true, floor};
    ties = wanted - shared.before;
    Group::meet();
  }
  const unsigned long long tie_weight = bounds.bounded ? weigh(logit_of(bounds.floor)) : 0;
  static_cast<void>(find_key<Group>(logits, vocabulary, digits, bounds, false, shared, weigh,
                                    [](unsigned long long) { return false; }));
  unsigned long long mass = shared.before + ties * tie_weight;
  bool summed = true;
  Group::meet();
  if (params.top_p < 1.0f) {
    const double wanted = static_cast<double>(params.top_p) * static_cast<double>(mass);
    const uint32_t key =
        find_key<Group>(logits, vocabulary, digits, bounds, summed, shared, weigh,
                        [&](unsigned long long sum) { return static_cast<double>(sum) >= wanted; });
    summed = false;
    const bool above = shared.found;
    const unsigned long long before = shared.before;
    Group::meet();
    const unsigned long long weight = above ? weigh(logit_of(key)) : tie_weight;
    if (above || (bounds.bounded && weight != 0)) {
      if (above) bounds.floor = key;
      bounds.bounded = true;
      const double missing = (wanted - static_cast<double>(before)) / static_cast<double>(weight);
      const unsigned long long needed = missing <= 1 ? 1 : static_cast<unsigned long long>(ceil(missing));
      ties = above ? needed : min(ties, needed);
      mass = before + ties * weight;
    }
  }
  const uint64_t seed = static_cast<uint64_t>(params.seed_high) << 32 | params.seed_low;
  const double threshold = static_cast<double>(philox_uniform(seed, position)) * static_cast<double>(mass);
  const uint32_t key =
      find_key<Group>(logits, vocabulary, digits, bounds, summed, shared, weigh,
                      [&](unsigned long long sum) { return static_cast<double>(sum) > threshold; });
  const bool above = shared.found;
  const unsigned long long before = shared.before;
  Group::meet();
  if (!above && (!bounds.bounded || ties == 0)) return shared.largest.token;
  const uint32_t drawn = above ? key : bounds.floor;
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
