// Attention on the matrix units, for 16-bit queries and caches. A block takes 16 rows of queries: the heads
// that share a key head, and where those are fewer than 16 also the next rows of the batch. Its four warps
// take 16 tokens in turn. Keys and values go from memory into the fragments of mma.m16n8k16 as they lie:
// which number of a head stands where in a product's sum is free, so each lane takes 16 bytes of a token;
// values are paired across two tokens. Weights of the softmax go in as two 16-bit numbers each, so that no
// more is lost than in float.
#include "backends/cuda/kernels/attention_work.cuh"
#include "backends/cuda/kernels/launch.cuh"
#include "backends/cuda/kernels/matrix_units.cuh"

namespace linnet::cuda {
namespace {

constexpr uint32_t kThreads = 128;
constexpr uint32_t kWarps = kThreads / 32;
constexpr uint32_t kRows = 16;    // of the product: heads, and rows of the batch
constexpr uint32_t kTokens = 16;  // a warp takes at a time

// A warp's share of 16 rows of queries.
template <class T, uint32_t kWidth>
struct WarpState {
  static constexpr uint32_t kSteps = kWidth / 32;   // loads of a key
  static constexpr uint32_t kHalves = kWidth / 64;  // loads of a value
  uint32_t q[2 * kSteps][4];
  float out[8 * kHalves][4] = {};
  float largest[2] = {-INFINITY, -INFINITY};
  float sum[2] = {};
  int32_t limit[2];  // the last token that the row sees; −1: none

  // Tokens [token, token + 16) of one page; `end` bounds what may be read.
  __device__ __forceinline__ void take(const AttentionArgs& args, uint64_t page, uint32_t token,
                                       uint32_t end) {
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t row = lane / 4;
    const uint32_t column = lane % 4;
    const auto place = [&](uint32_t offset) {
      return page + uint64_t{min(token + offset, end - 1) % kStretchUnit} * kWidth;
    };
    uint4 keys[2][kSteps];
    uint4 values[4][kHalves];
#pragma unroll
    for (uint32_t t = 0; t < 2; ++t) {
      const uint64_t at = place(8 * t + row) + 8 * column;
#pragma unroll
      for (uint32_t i = 0; i < kSteps; ++i) keys[t][i] = load_16(args.k_cache, at + 32 * i);
    }
#pragma unroll
    for (uint32_t t = 0; t < 4; ++t) {
      const uint64_t at = place(2 * column + t % 2 + t / 2 * 8) + 8 * row;
#pragma unroll
      for (uint32_t i = 0; i < kHalves; ++i) values[t][i] = load_16(args.v_cache, at + 64 * i);
    }
    float scores[2][4] = {};
#pragma unroll
    for (uint32_t t = 0; t < 2; ++t) {
#pragma unroll
      for (uint32_t i = 0; i < kSteps; ++i) {
        multiply_add<T>(scores[t], q[2 * i], keys[t][i].x, keys[t][i].y);
        multiply_add<T>(scores[t], q[2 * i + 1], keys[t][i].z, keys[t][i].w);
      }
    }
    weigh(scores, args.scale * kLog2E, token);
    uint32_t high[4];
    uint32_t low[4];
#pragma unroll
    for (uint32_t t = 0; t < 2; ++t) {
      split<T>(scores[t][0], scores[t][1], high[2 * t], low[2 * t]);
      split<T>(scores[t][2], scores[t][3], high[2 * t + 1], low[2 * t + 1]);
    }
#pragma unroll
    for (uint32_t i = 0; i < kHalves; ++i) {
#pragma unroll
      for (uint32_t j = 0; j < 8; ++j) {
        const uint32_t selector = j % 2 == 0 ? 0x5410 : 0x7632;
        const uint32_t b0 = __byte_perm(word(values[0][i], j / 2), word(values[1][i], j / 2), selector);
        const uint32_t b1 = __byte_perm(word(values[2][i], j / 2), word(values[3][i], j / 2), selector);
        multiply_add<T>(out[8 * i + j], high, b0, b1);
        multiply_add<T>(out[8 * i + j], low, b0, b1);
      }
    }
  }

 private:
  // Scores become weights; what was summed before is scaled to the new maximum.
  __device__ __forceinline__ void weigh(float (&scores)[2][4], float scale, uint32_t token) {
    const uint32_t column = threadIdx.x % 4;
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      float most = -INFINITY;
#pragma unroll
      for (uint32_t t = 0; t < 2; ++t) {
#pragma unroll
        for (uint32_t i = 0; i < 2; ++i) {
          float& score = scores[t][2 * half + i];
          const bool seen = static_cast<int32_t>(token + 8 * t + 2 * column + i) <= limit[half];
          score = seen ? score * scale : -INFINITY;
          most = fmaxf(most, score);
        }
      }
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
      most = fmaxf(most, largest[half]);
      const float base = most == -INFINITY ? 0.0f : most;
      const float factor = exp2f(largest[half] - base);
      largest[half] = most;
      sum[half] *= factor;
#pragma unroll
      for (uint32_t t = 0; t < 2; ++t) {
#pragma unroll
        for (uint32_t i = 0; i < 2; ++i) {
          float& score = scores[t][2 * half + i];
          score = exp2f(score - base);
          sum[half] += score;
        }
      }
#pragma unroll
      for (uint32_t n = 0; n < 8 * kHalves; ++n) {
        out[n][2 * half] *= factor;
        out[n][2 * half + 1] *= factor;
      }
    }
  }
};

// Rows of the batch that a block takes together, from `first` on, all of one slot: how many, and their
// tokens.
struct Run {
  int32_t slot;
  uint32_t rows;
  uint32_t tokens;
};

__device__ __forceinline__ Run find_run(const AttentionArgs& args, uint32_t first, uint32_t end,
                                        const Stamp& mark, KernelFailure* failure) {
  Run run{slot_of_row_by_warp(args.pages, first, mark, failure), 0, 0};
  for (uint32_t row = first; row < end; ++row) {
    if (row > first && slot_of_row_by_warp(args.pages, row, mark, failure) != run.slot) break;
    uint32_t position;
    if (position_of_row(args.pages, row, mark, failure, position)) run.tokens = max(run.tokens, position + 1);
    ++run.rows;
  }
  return run;
}

template <class T, uint32_t kWidth>
__global__ void __launch_bounds__(kThreads)
    matrix_attention_kernel(AttentionArgs args, uint32_t batch_rows, Stamp mark, KernelFailure* failure) {
  extern __shared__ float memory[];
  begin(mark);
  Work work;
  find_heads<kRows>(args, work);
  const uint32_t warp = threadIdx.x / 32;
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t end_row = min((blockIdx.x + 1) * batch_rows, args.pages.rows);
  for (uint32_t first = blockIdx.x * batch_rows; first < end_row;) {
    const Run run = find_run(args, first, end_row, mark, failure);
    const uint32_t next = first + run.rows;
    work.row = first;
    if (run.slot < 0 || run.tokens == 0 || !find_stretch(args, run.tokens, work)) {
      first = next;
      continue;
    }
    count_bytes(args, mark, work.end - work.begin);

    WarpState<T, kWidth> state;
    // Row i of the product is head i mod head_count of row i / head_count of the run.
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      const uint32_t i = lane / 4 + 8 * half;
      const uint32_t row = first + i / work.head_count;
      const bool there = row < next;
      state.limit[half] = there ? args.pages.positions[row] : -1;
      const uint64_t at =
          row * args.q.stride + (work.first_head + i % work.head_count) * kWidth + lane % 4 * 8;
#pragma unroll
      for (uint32_t step = 0; step < WarpState<T, kWidth>::kSteps; ++step) {
        const uint4 q = there ? load_16(args.q.data, at + 32 * step) : make_uint4(0, 0, 0, 0);
        state.q[2 * step][half] = q.x;
        state.q[2 * step][half + 2] = q.y;
        state.q[2 * step + 1][half] = q.z;
        state.q[2 * step + 1][half + 2] = q.w;
      }
    }
    for (uint32_t token = work.begin + warp * kTokens; token < work.end; token += kWarps * kTokens) {
      uint64_t page = place_of_token(args.pages, run.slot, token / kStretchUnit * kStretchUnit, work.kv_head,
                                     mark, failure);
      if (page == ~0ull) page = 0;
      state.take(args, page, token, work.end);
    }
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      state.sum[half] += __shfl_xor_sync(~0u, state.sum[half], 1);
      state.sum[half] += __shfl_xor_sync(~0u, state.sum[half], 2);
    }
    keep<kRows>(args, warp, memory, [&](float* sums, float* numbers) {
#pragma unroll
      for (uint32_t half = 0; half < 2; ++half) {
        const uint32_t i = lane / 4 + 8 * half;
        if (lane % 4 == 0) {
          sums[2 * i] = state.largest[half];
          sums[2 * i + 1] = state.sum[half];
        }
#pragma unroll
        for (uint32_t n = 0; n < 8 * WarpState<T, kWidth>::kHalves; ++n) {
          const uint32_t element = n / 8 * 64 + lane % 4 * 16 + n % 8;
          numbers[i * kWidth + element] = state.out[n][2 * half];
          numbers[i * kWidth + element + 8] = state.out[n][2 * half + 1];
        }
      }
    });
    if (batch_rows == 1) {
      join_groups<kWarps, kRows, kThreads>(args, work, memory);
    } else {
      join_rows<kWarps, kRows, kThreads>(args, work, run.rows, memory);
      __syncthreads();
    }
    first = next;
  }
}

template <class T, uint32_t kWidth>
bool launch_with(const AttentionArgs& args, const Common& common) {
  const uint32_t group = args.heads / args.pages.kv_heads;
  const uint32_t chunks = (group + kRows - 1) / kRows;
  // Several rows of a prompt share the keys that they read.
  const uint32_t batch_rows = args.splits == 1 && group < kRows ? kRows / group : 1;
  const auto kernel = matrix_attention_kernel<T, kWidth>;
  const uint32_t shared = shared_bytes<kWarps, kRows>(kWidth);
  const dim3 grid((args.pages.rows + batch_rows - 1) / batch_rows, args.pages.kv_heads * chunks, args.splits);
  launch(kernel, grid, kThreads, shared, common, args, batch_rows, common.stamp, common.failure);
  return true;
}

template <class T>
bool launch_width(const AttentionArgs& args, const Common& common) {
  return args.pages.width == 64 ? launch_with<T, 64>(args, common) : launch_with<T, 128>(args, common);
}

// The products of matrix_units.cuh need compute capability 8.0.
bool products_run_here() {
  static const bool here = [] {
    int device = 0;
    int major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
           major >= 8;
  }();
  return here;
}

}  // namespace

bool attention_on_matrix_units(const AttentionArgs& args) {
  const bool half = args.format == Format::bf16 || args.format == Format::f16;
  const bool width = args.pages.width == 64 || args.pages.width == 128;
  const bool aligned = args.q.stride % 8 == 0 && reinterpret_cast<uintptr_t>(args.q.data) % 16 == 0;
  return half && args.q.format == args.format && width && aligned && products_run_here();
}

bool launch_matrix_attention(const AttentionArgs& args, const Common& common) {
  return args.format == Format::bf16 ? launch_width<__nv_bfloat16>(args, common)
                                     : launch_width<__half>(args, common);
}

}  // namespace linnet::cuda
