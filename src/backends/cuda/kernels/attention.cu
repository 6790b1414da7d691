// Attention, one row at a time: each block takes a stretch of the keys of one row and one key head for up to
// eight query heads, in groups of lanes that each keep a running softmax; they are joined in shared memory,
// and the stretches by the last block to finish.
#include "backends/cuda/kernels/attention_work.cuh"
#include "backends/cuda/kernels/launch.cuh"

namespace linnet::cuda {
namespace {

constexpr uint32_t kThreads = 128;
constexpr uint32_t kHeads = 8;     // query heads a block takes at most
constexpr uint32_t kTokens = 4;    // a group has in flight
constexpr uint32_t kElements = 8;  // of a token that a lane holds

// How the lanes of a group share a token. Vectors: 16 bytes a lane, 16-bit caches of width 8 · kLanes.
template <uint32_t kGroupLanes>
struct InVectors {
  static constexpr uint32_t kLanes = kGroupLanes;
  __device__ static uint32_t element(uint32_t lane, uint32_t i) { return lane * kElements + i; }
  __device__ static void load(const std::byte* cache, Format format, uint64_t place, uint32_t lane, uint32_t,
                              float (&into)[kElements]) {
    const uint4 raw = __ldg(reinterpret_cast<const uint4*>(cache + 2 * place) + lane);
    const uint32_t words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (uint32_t i = 0; i < 4; ++i) {
      if (format == Format::bf16) {
        into[2 * i] = __uint_as_float(words[i] << 16);
        into[2 * i + 1] = __uint_as_float(words[i] & 0xFFFF0000u);
      } else {
        const float2 two = __half22float2(*reinterpret_cast<const __half2*>(&words[i]));
        into[2 * i] = two.x;
        into[2 * i + 1] = two.y;
      }
    }
  }
};
// Any format and any width up to 256.
struct OneByOne {
  static constexpr uint32_t kLanes = 32;
  __device__ static uint32_t element(uint32_t lane, uint32_t i) { return i * 32 + lane; }
  __device__ static void load(const std::byte* cache, Format format, uint64_t place, uint32_t lane,
                              uint32_t width, float (&into)[kElements]) {
#pragma unroll
    for (uint32_t i = 0; i < kElements; ++i) {
      const uint32_t at = element(lane, i);
      into[i] = at < width ? load_number(cache, format, place + at) : 0.0f;
    }
  }
};

// A running softmax in powers of two, and the weighted sum so far.
struct Running {
  float largest = -INFINITY;
  float sum = 0;
};

__device__ __forceinline__ float rescale(float from, float to) {
  return from == to ? 1.0f : exp2f(from - to);
}

template <class Lanes>
__global__ void __launch_bounds__(kThreads)
    attention_kernel(AttentionArgs args, Stamp mark, KernelFailure* failure) {
  constexpr uint32_t kGroups = kThreads / Lanes::kLanes;
  extern __shared__ float memory[];  // [group, head]: maximum, sum; then [group, head, width]
  begin(mark);
  Work work;
  int32_t slot;
  if (!find_work<kHeads>(args, mark, failure, slot, work)) return;
  const uint32_t width = args.pages.width;
  count_bytes(args, mark, work.end - work.begin);
  const uint32_t lane = threadIdx.x % Lanes::kLanes;
  const uint32_t group = threadIdx.x / Lanes::kLanes;

  float q[kHeads][kElements];
  float values[kHeads][kElements] = {};
  Running running[kHeads];
#pragma unroll
  for (uint32_t h = 0; h < kHeads; ++h) {
#pragma unroll
    for (uint32_t i = 0; i < kElements; ++i) {
      const uint32_t at = Lanes::element(lane, i);
      const bool there = h < work.head_count && at < width;
      q[h][i] =
          there ? load_number(args.q, work.row, (work.first_head + h) * width + at) * (args.scale * kLog2E)
                : 0.0f;
    }
  }
  // All groups go round equally often: their lanes meet in shuffles.
  for (uint32_t round = work.begin; round < work.end; round += kGroups * kTokens) {
    const uint32_t token = round + group;
    float k[kTokens][kElements];
    float v[kTokens][kElements];
#pragma unroll
    for (uint32_t u = 0; u < kTokens; ++u) {
      const uint32_t at = min(token + u * kGroups, work.end - 1);
      uint64_t place = place_of_token(args.pages, slot, at, work.kv_head, mark, failure);
      if (place == ~0ull) place = 0;
      Lanes::load(args.k_cache, args.format, place, lane, width, k[u]);
      Lanes::load(args.v_cache, args.format, place, lane, width, v[u]);
    }
#pragma unroll
    for (uint32_t h = 0; h < kHeads; ++h) {
      if (h >= work.head_count) break;
      float scores[kTokens];
      float largest = running[h].largest;
#pragma unroll
      for (uint32_t u = 0; u < kTokens; ++u) {
        float dot = 0;
#pragma unroll
        for (uint32_t i = 0; i < kElements; ++i) dot += q[h][i] * k[u][i];
#pragma unroll
        for (uint32_t offset = Lanes::kLanes / 2; offset > 0; offset /= 2)
          dot += __shfl_xor_sync(~0u, dot, offset);
        scores[u] = token + u * kGroups < work.end ? dot : -INFINITY;
        largest = fmaxf(largest, scores[u]);
      }
      const float factor = rescale(running[h].largest, largest);
      running[h].largest = largest;
      running[h].sum *= factor;
#pragma unroll
      for (uint32_t i = 0; i < kElements; ++i) values[h][i] *= factor;
#pragma unroll
      for (uint32_t u = 0; u < kTokens; ++u) {
        const float weight = scores[u] == -INFINITY ? 0.0f : exp2f(scores[u] - largest);
        running[h].sum += weight;
#pragma unroll
        for (uint32_t i = 0; i < kElements; ++i) values[h][i] += weight * v[u][i];
      }
    }
  }

  keep<kHeads>(args, group, memory, [&](float* sums, float* numbers) {
#pragma unroll
    for (uint32_t h = 0; h < kHeads; ++h) {
      if (h >= work.head_count) break;
      if (lane == 0) {
        sums[2 * h] = running[h].largest;
        sums[2 * h + 1] = running[h].sum;
      }
#pragma unroll
      for (uint32_t i = 0; i < kElements; ++i) {
        const uint32_t at = Lanes::element(lane, i);
        if (at < width) numbers[h * width + at] = values[h][i];
      }
    }
  });
  join_groups<kGroups, kHeads, kThreads>(args, work, memory);
}

template <class Lanes>
bool launch_with(const AttentionArgs& args, const Common& common) {
  constexpr uint32_t kGroups = kThreads / Lanes::kLanes;
  const uint32_t group = args.heads / args.pages.kv_heads;
  const uint32_t chunks = (group + kHeads - 1) / kHeads;
  const uint32_t shared = kGroups * kHeads * (2 + args.pages.width) * sizeof(float);
  const auto kernel = attention_kernel<Lanes>;
  static const cudaError_t raised =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 << 10);
  static_cast<void>(raised);
  const dim3 grid(args.pages.rows, args.pages.kv_heads * chunks, args.splits);
  launch(kernel, grid, kThreads, shared, common, args, common.stamp, common.failure);
  return true;
}

}  // namespace

uint32_t attention_splits(uint32_t rows, uint32_t kv_heads, uint32_t pages_a_slot, uint32_t processors) {
  const uint32_t blocks = rows * kv_heads;
  const uint32_t wanted = 2 * processors / blocks;
  const uint32_t most = pages_a_slot < 128 ? pages_a_slot : 128;
  return wanted < 1 ? 1 : wanted > most ? most : wanted;
}

bool launch_attention(const AttentionArgs& args, const Common& common) {
  if (args.pages.rows == 0) return false;
  if (attention_on_matrix_units(args))
    return attention_of_prompts(args) ? launch_prompt_attention(args, common)
                                      : launch_matrix_attention(args, common);
  const bool half = args.format == Format::bf16 || args.format == Format::f16;
  if (half && args.pages.width == 64) return launch_with<InVectors<8>>(args, common);
  if (half && args.pages.width == 128) return launch_with<InVectors<16>>(args, common);
  launch_with<OneByOne>(args, common);
  return true;
}

}  // namespace linnet::cuda
