// Sample: one block draws the token of one row. Probabilities are summed as integers (units of 2^-40), so
// that no order of threads shows in the draw; prefixes in descending order of the logits are found by their
// digits, eight bits at a time, without sorting.
#include "backends/cuda/kernels/launch.cuh"
#include "base/philox.h"

namespace linnet::cuda {
namespace {

constexpr uint32_t kThreads = 1024;
constexpr double kOne = 0x1p40;

struct Params {
  float temperature;
  int32_t top_k;
  float top_p;
  uint32_t seed_low;
  uint32_t seed_high;
};

struct Shared {
  unsigned long long bins[256];
  unsigned long long before;  // sum of what comes before the digit that was chosen
  uint32_t prefix;
  bool found;
  float values[32];
  uint32_t indices[32];
  float largest;
  uint32_t largest_index;
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

// The largest logit, the smaller token among equals. `meanwhile` is done before threads compare theirs.
template <class Meanwhile>
__device__ void find_largest(const float* logits, uint32_t vocabulary, Shared& shared,
                             Meanwhile&& meanwhile) {
  float best = -INFINITY;
  uint32_t index = 0xFFFFFFFFu;
  const auto look = [&](float logit, uint32_t i) {
    if (isnan(logit)) logit = -INFINITY;
    if (logit > best || index == 0xFFFFFFFFu) {
      best = logit;
      index = i;
    }
  };
  // Four at a time, and several of those on their way: all that greedy decoding does here is wait for them.
  const uint32_t fours = reinterpret_cast<uintptr_t>(logits) % 16 == 0 ? vocabulary / 4 : 0;
#pragma unroll 8
  for (uint32_t i = threadIdx.x; i < fours; i += kThreads) {
    const float4 four = reinterpret_cast<const float4*>(logits)[i];
    look(four.x, 4 * i);
    look(four.y, 4 * i + 1);
    look(four.z, 4 * i + 2);
    look(four.w, 4 * i + 3);
  }
  for (uint32_t i = 4 * fours + threadIdx.x; i < vocabulary; i += kThreads) look(logits[i], i);
  meanwhile();
  const auto join = [&](float other, uint32_t other_index) {
    if (other > best || (other == best && other_index < index)) {
      best = other;
      index = other_index;
    }
  };
  for (int offset = 16; offset > 0; offset /= 2)
    join(__shfl_xor_sync(~0u, best, offset), __shfl_xor_sync(~0u, index, offset));
  const uint32_t warp = threadIdx.x / 32;
  const uint32_t lane = threadIdx.x % 32;
  if (lane == 0) {
    shared.values[warp] = best;
    shared.indices[warp] = index;
  }
  __syncthreads();
  if (warp == 0) {
    best = shared.values[lane];
    index = shared.indices[lane];
    for (int offset = 16; offset > 0; offset /= 2)
      join(__shfl_xor_sync(~0u, best, offset), __shfl_xor_sync(~0u, index, offset));
    if (lane == 0) {
      shared.largest = best;
      shared.largest_index = index;
    }
  }
  __syncthreads();
}

// Goes down the digits of the keys above `floor`: the key at which the running sum of measure(logit), in
// descending order, first satisfies reached(sum). shared.found is false if it never does; shared.before is
// the sum of all larger keys, or of all.
template <class Measure, class Reached>
__device__ uint32_t find_key(const float* logits, uint32_t vocabulary, bool bounded, uint32_t floor,
                             Shared& shared, Measure&& measure, Reached&& reached) {
  if (threadIdx.x == 0) {
    shared.before = 0;
    shared.prefix = 0;
    shared.found = true;
  }
  for (int shift = 24; shift >= 0; shift -= 8) {
    for (uint32_t i = threadIdx.x; i < 256; i += kThreads) shared.bins[i] = 0;
    __syncthreads();
    const uint32_t prefix = shared.prefix;
    for (uint32_t i = threadIdx.x; i < vocabulary; i += kThreads) {
      const uint32_t key = key_of(logits[i]);
      if (bounded && key <= floor) continue;
      if (shift < 24 && key >> (shift + 8) != prefix) continue;
      atomicAdd(&shared.bins[key >> shift & 255], measure(logit_of(key)));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      int digit = 255;
      while (digit >= 0 && !(shared.bins[digit] != 0 && reached(shared.before + shared.bins[digit]))) {
        shared.before += shared.bins[digit];
        --digit;
      }
      shared.found = digit >= 0;
      shared.prefix = prefix << 8 | static_cast<uint32_t>(digit < 0 ? 0 : digit);
    }
    __syncthreads();
    if (!shared.found) return 0;
  }
  return shared.prefix;
}

// The token that is number `rank` among those of one key, in ascending order.
__device__ uint32_t token_of_rank(const float* logits, uint32_t vocabulary, uint32_t key, uint32_t rank,
                                  Shared& shared) {
  if (threadIdx.x == 0) {
    shared.seen = 0;
    shared.token = 0xFFFFFFFFu;
  }
  __syncthreads();
  for (uint32_t begin = 0; begin < vocabulary; begin += kThreads) {
    const uint32_t i = begin + threadIdx.x;
    const bool here = i < vocabulary && key_of(logits[i]) == key;
    const uint32_t votes = __ballot_sync(~0u, here);
    const uint32_t warp = threadIdx.x / 32;
    const uint32_t lane = threadIdx.x % 32;
    if (lane == 0) shared.indices[warp] = __popc(votes);
    __syncthreads();
    uint32_t before = shared.seen;
    for (uint32_t w = 0; w < warp; ++w) before += shared.indices[w];
    before += __popc(votes & ((1u << lane) - 1));
    if (here && before == rank) shared.token = i;
    __syncthreads();
    if (threadIdx.x == kThreads - 1) shared.seen = before + (here ? 1 : 0);
    __syncthreads();
    if (shared.token != 0xFFFFFFFFu) break;
  }
  return shared.token;
}

__device__ uint32_t draw(const float* logits, uint32_t vocabulary, const Params& params, uint32_t position,
                         Shared& shared) {
  if (!(params.temperature > 0)) return shared.largest_index;
  const float largest = shared.largest;
  const auto weigh = [&](float logit) { return weight_of(logit, largest, params.temperature); };
  const auto count = [](float) { return 1ull; };

  // The end of what may be drawn: all keys above `floor`, and of that key the first `ties` tokens.
  bool bounded = false;
  uint32_t floor = 0;
  unsigned long long ties = 0;
  if (params.top_k > 0 && static_cast<uint32_t>(params.top_k) < vocabulary) {
    const auto wanted = static_cast<unsigned long long>(params.top_k);
    floor = find_key(logits, vocabulary, false, 0, shared, count,
                     [&](unsigned long long sum) { return sum >= wanted; });
    bounded = true;
    ties = wanted - shared.before;
    __syncthreads();
  }
  const unsigned long long tie_weight = bounded ? weigh(logit_of(floor)) : 0;
  static_cast<void>(
      find_key(logits, vocabulary, bounded, floor, shared, weigh, [](unsigned long long) { return false; }));
  unsigned long long mass = shared.before + ties * tie_weight;
  __syncthreads();
  if (params.top_p < 1.0f) {
    const double wanted = static_cast<double>(params.top_p) * static_cast<double>(mass);
    const uint32_t key = find_key(logits, vocabulary, bounded, floor, shared, weigh,
                                  [&](unsigned long long sum) { return static_cast<double>(sum) >= wanted; });
    const bool above = shared.found;
    const unsigned long long before = shared.before;
    __syncthreads();
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
  const uint32_t key = find_key(logits, vocabulary, bounded, floor, shared, weigh,
                                [&](unsigned long long sum) { return static_cast<double>(sum) > threshold; });
  const bool above = shared.found;
  const unsigned long long before = shared.before;
  __syncthreads();
  if (!above && (!bounded || ties == 0)) return shared.largest_index;
  const uint32_t drawn = above ? key : floor;
  const unsigned long long weight = weigh(logit_of(drawn));
  const double rank =
      weight == 0 ? 0 : ::floor((threshold - static_cast<double>(before)) / static_cast<double>(weight));
  unsigned long long index = rank < 0 ? 0 : static_cast<unsigned long long>(rank);
  if (!above && index >= ties) index = ties - 1;
  const uint32_t token = token_of_rank(logits, vocabulary, drawn, static_cast<uint32_t>(index), shared);
  return token == 0xFFFFFFFFu ? shared.largest_index : token;
}

__device__ void sample_row(const SampleArgs& args, const Stamp& mark, KernelFailure* failure,
                           Shared& shared) {
  const uint32_t row = blockIdx.x;
  const float* logits = reinterpret_cast<const float*>(args.logits.data) + row * args.logits.stride;
  // One thing after another would be five times the way to memory: the slot comes while logits do, and what
  // lies there while threads compare them.
  const int32_t slot = args.slots[row];
  const int32_t first_stop = threadIdx.x < args.stop_count ? args.stop_ids[threadIdx.x] : -1;
  bool known = false;
  int32_t remaining = 0;
  int32_t position = 0;
  int32_t words[5] = {};
  find_largest(logits, args.logits.columns, shared, [&] {
    known = in_range(slot, args.slot_count, FailedCheck::slots, mark, failure);
    if (!known) return;
    remaining = args.remaining[slot];
    position = args.positions[slot];
#pragma unroll
    for (uint32_t i = 0; i < 5; ++i) words[i] = args.params[static_cast<uint64_t>(slot) * 8 + i];
  });
  if (!known || remaining <= 0) return;
  if (!in_range(position, 0x7FFFFFFFu, FailedCheck::positions, mark, failure)) return;
  const Params params{__int_as_float(words[0]), words[1], __int_as_float(words[2]),
                      static_cast<uint32_t>(words[3]), static_cast<uint32_t>(words[4])};
  const uint32_t token = draw(logits, args.logits.columns, params, static_cast<uint32_t>(position), shared);
  const auto drawn = static_cast<int32_t>(token);
  bool stop = threadIdx.x < args.stop_count && first_stop == drawn;
  for (uint32_t i = threadIdx.x + kThreads; i < args.stop_count; i += kThreads)
    stop = stop || args.stop_ids[i] == drawn;
  const bool stops = __syncthreads_or(stop ? 1 : 0) != 0;
  if (threadIdx.x != 0) return;
  args.ring[static_cast<uint64_t>(slot) * args.ring_length +
            static_cast<uint32_t>(position) % args.ring_length] = drawn;
  args.tokens[slot] = drawn;
  args.positions[slot] = position + 1;
  args.remaining[slot] = stops ? 0 : remaining - 1;
}

__global__ void __launch_bounds__(kThreads)
    sample_kernel(SampleArgs args, Stamp mark, KernelFailure* failure) {
  __shared__ Shared shared;
  begin(mark);
  sample_row(args, mark, failure, shared);
  if (mark.closes) close(mark);
}

}  // namespace

bool launch_sample(const SampleArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  launch(sample_kernel, args.rows, kThreads, 0, common, args, common.stamp, common.failure);
  return true;
}

}  // namespace linnet::cuda
