// The stages of a decoder layer for few rows: norm, product, and what follows, in one kernel.
//
// One long-lived block a multiprocessor, with all of x in shared memory in the format that the product takes.
// It fills half of the multiprocessor, so that the next stage's blocks can be there already: they fetch their
// first weights, which depend on nothing, and wait. One warp, or several where there are more warps than
// work, take two rows of the weight at a time, those that the end needs together (a pair that RoPE turns, a
// gate and its value), in pieces of 16 bytes a lane, several in flight. The order of a sum depends on the
// weight's shape, its format and the GPU only, so a row's result does not depend on how many rows there are.
#include "backends/cuda/kernels/launch.cuh"
#include "backends/cuda/kernels/stage_end.cuh"
#include "backends/cuda/kernels/stage_input.cuh"

namespace linnet::cuda {
namespace {

constexpr uint32_t kThreads = 512;
constexpr uint32_t kWarps = kThreads / 32;
constexpr uint32_t kPieces = 4;  // of each row in flight
constexpr uint32_t kMostShared = 200 << 10;

// 16 bytes of a row of the weight.
template <Format W>
struct Piece {
  static constexpr uint32_t kElements = 4 * kNumbersAWord<W>;
  uint4 raw;
  float scale;  // Q8_0

  __device__ __forceinline__ void load(const Matrix& matrix, uint64_t row, uint32_t piece) {
    const uint64_t element = row * matrix.columns + uint64_t{piece} * kElements;
    constexpr uint32_t kBytes = 16 / kElements;
    raw = __ldcs(reinterpret_cast<const uint4*>(matrix.data + element * kBytes));
    if constexpr (W == Format::q8_0) {
      scale = __half2float(__ldg(reinterpret_cast<const __half*>(matrix.scales) + element / 32));
    }
  }
  __device__ __forceinline__ void unpack(float (&w)[kElements]) const {
    const uint32_t words[4] = {raw.x, raw.y, raw.z, raw.w};
    unpack_words<W>(words, w);
  }
};

template <class X, uint32_t kCount>
__device__ __forceinline__ void load_shared(const X* from, float (&into)[kCount]) {
  constexpr uint32_t kPerVector = 16 / sizeof(X);
  if constexpr (kCount % kPerVector == 0) {
#pragma unroll
    for (uint32_t v = 0; v < kCount / kPerVector; ++v) {
      const uint4 raw = reinterpret_cast<const uint4*>(from)[v];
      const X* numbers = reinterpret_cast<const X*>(&raw);
#pragma unroll
      for (uint32_t i = 0; i < kPerVector; ++i) into[v * kPerVector + i] = to_float(numbers[i]);
    }
  } else {
#pragma unroll
    for (uint32_t i = 0; i < kCount; ++i) into[i] = to_float(from[i]);
  }
}

template <Format W, class X, int R>
__device__ __forceinline__ void multiply(const Piece<W>& piece, uint32_t index, const X* xs, uint32_t k,
                                         float (&sums)[R]) {
  constexpr uint32_t kElements = Piece<W>::kElements;
  float w[kElements];
  piece.unpack(w);
#pragma unroll
  for (int r = 0; r < R; ++r) {
    float x[kElements];
    load_shared(xs + static_cast<uint32_t>(r) * k + index * kElements, x);
    if constexpr (W == Format::q8_0) {
      float sum = 0;
#pragma unroll
      for (uint32_t i = 0; i < kElements; ++i) sum += w[i] * x[i];
      sums[r] += piece.scale * sum;
    } else {
#pragma unroll
      for (uint32_t i = 0; i < kElements; ++i) sums[r] += w[i] * x[i];
    }
  }
}

// One round of a warp: pieces of both rows, a stretch of 32 · kPieces · share apart from the next.
template <Format W>
struct Round {
  Piece<W> a[kPieces];
  Piece<W> b[kPieces];

  __device__ __forceinline__ void load(const Matrix& weight, const Pair& pair, uint32_t first, uint32_t step,
                                       uint32_t pieces) {
#pragma unroll
    for (uint32_t u = 0; u < kPieces; ++u) {
      const uint32_t piece = first + step * u;
      if (piece < pieces) {
        a[u].load(weight, pair.first, piece);
        b[u].load(weight, pair.second, piece);
      }
    }
  }
  template <class X, int R>
  __device__ __forceinline__ void multiply(const X* xs, uint32_t k, uint32_t first, uint32_t step,
                                           uint32_t pieces, float (&one)[R], float (&two)[R]) const {
#pragma unroll
    for (uint32_t u = 0; u < kPieces; ++u) {
      const uint32_t piece = first + step * u;
      if (piece < pieces) {
        linnet::cuda::multiply<W, X, R>(a[u], piece, xs, k, one);
        linnet::cuda::multiply<W, X, R>(b[u], piece, xs, k, two);
      }
    }
  }
};

// Sums of the warps that share a pair, in their order; all of them call it, the first gets the result.
template <int R>
__device__ __forceinline__ void join_shares(float (&one)[R], float (&two)[R], uint32_t share, uint32_t unit,
                                            uint32_t part, float* sums) {
  const uint32_t lane = threadIdx.x % 32;
  if (lane == 0) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      sums[(unit * share + part) * 2 * R + 2 * r] = one[r];
      sums[(unit * share + part) * 2 * R + 2 * r + 1] = two[r];
    }
  }
  meet_at(unit + 1, share * 32);
  if (part != 0) return;
#pragma unroll
  for (int r = 0; r < R; ++r) {
    for (uint32_t other = 1; other < share; ++other) {
      one[r] += sums[(unit * share + other) * 2 * R + 2 * r];
      two[r] += sums[(unit * share + other) * 2 * R + 2 * r + 1];
    }
  }
}

template <Format W, class X, int R>
__global__ void __launch_bounds__(kThreads, R == 1 ? 2 : 1)
    stage_kernel(const __grid_constant__ StageArgs args, uint32_t share, Stamp mark, KernelFailure* failure) {
  extern __shared__ uint4 memory[];
  __shared__ float shared[32];
  __shared__ float sums[2][kWarps * 2 * R];
  __shared__ uint64_t places[kMaxStageRows];
  let_next_start();
  X* xs = reinterpret_cast<X*>(memory);
  const uint32_t k = args.weight.columns;
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t unit = threadIdx.x / 32 / share;
  const uint32_t part = threadIdx.x / 32 % share;
  const uint32_t pieces = k / Piece<W>::kElements;
  const uint32_t pairs = (args.weight.rows + 1) / 2;
  const uint32_t step = 32 * share;
  const uint32_t start = 32 * part + lane;
  // Neighbouring pairs go to different multiprocessors, so that a small product uses all of them.
  uint32_t p = unit * gridDim.x + blockIdx.x;
  const uint32_t stride = kWarps / share * gridDim.x;
  Pair pair = pair_of(args, p < pairs ? p : 0);
  Round<W> round;
  if (p < pairs) round.load(args.weight, pair, start, step, pieces);
  wait_for_previous();
  stamp(mark);
  if (args.kind == StageArgs::Kind::rope_and_store && threadIdx.x < args.rows)
    places[threadIdx.x] = find_place(args, threadIdx.x, mark, failure);
  prepare<kThreads, X, R>(args, xs, shared);
  for (uint32_t turn = 0; p < pairs; ++turn) {
    float one[R] = {};
    float two[R] = {};
    for (uint32_t first = start;;) {
      round.template multiply<X, R>(xs, k, first, step, pieces, one, two);
      first += step * kPieces;
      if (first - lane >= pieces) break;  // the same for all lanes
      round.load(args.weight, pair, first, step, pieces);
    }
    const Pair finished = pair;
    p += stride;
    if (p < pairs) {
      pair = pair_of(args, p);
      round.load(args.weight, pair, start, step, pieces);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      one[r] = warp_sum(one[r]);
      two[r] = warp_sum(two[r]);
    }
    if (share > 1) join_shares<R>(one, two, share, unit, part, sums[turn % 2]);
    if (part != 0) continue;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (lane == static_cast<uint32_t>(r) && lane < args.rows)
        finish(args, finished, lane, one[r], two[r], places);
    }
  }
}

// Warps that share a pair of rows: as many as make the fewest rounds of loads, one after another.
uint32_t share_of(uint32_t pairs, uint32_t pieces, uint32_t processors) {
  uint32_t best = 1;
  uint32_t least = ~0u;
  for (uint32_t share = 1; share <= 8; share *= 2) {
    const uint32_t turns = (pairs * share + kWarps * processors - 1) / (kWarps * processors);
    const uint32_t rounds = turns * ((pieces + 32 * kPieces * share - 1) / (32 * kPieces * share));
    if (rounds < least) {
      least = rounds;
      best = share;
    }
  }
  return best;
}

template <Format W, class X, int R>
bool launch_one(const StageArgs& args, uint32_t processors, const Common& common) {
  const uint32_t shared = R * args.weight.columns * sizeof(X);
  const auto kernel = stage_kernel<W, X, R>;
  static const cudaError_t raised =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kMostShared);
  static_cast<void>(raised);
  const uint32_t pairs = (args.weight.rows + 1) / 2;
  const uint32_t share = share_of(pairs, args.weight.columns / Piece<W>::kElements, processors);
  launch(kernel, pairs < processors ? pairs : processors, kThreads, shared, common, args, share, common.stamp,
         common.failure);
  return true;
}

template <Format W, class X>
bool launch_rows(const StageArgs& args, uint32_t processors, const Common& common) {
  if (args.rows == 1) return launch_one<W, X, 1>(args, processors, common);
  if (args.rows <= 4) return launch_one<W, X, 4>(args, processors, common);
  return launch_one<W, X, 8>(args, processors, common);
}

template <Format W>
bool launch_input(const StageArgs& args, uint32_t processors, const Common& common) {
  switch (args.input) {
    case Format::bf16:
      return launch_rows<W, __nv_bfloat16>(args, processors, common);
    case Format::f16:
      return launch_rows<W, __half>(args, processors, common);
    default:
      return launch_rows<W, float>(args, processors, common);
  }
}

}  // namespace

bool stage_takes(uint32_t rows, uint32_t n, uint32_t k, Format weight, Format input) {
  if (rows == 0 || rows > kMaxStageRows || n < 2) return false;
  const uint32_t padded = rows == 1 ? 1 : rows <= 4 ? 4 : 8;
  const uint32_t bytes = input == Format::f32 ? 4 : 2;
  if (uint64_t{padded} * k * bytes > kMostShared) return false;
  const uint32_t block = weight == Format::f32 ? 4 : weight == Format::q8_0 ? 32 : 8;
  return k % block == 0 && k % 8 == 0;
}

bool launch_stage(const StageArgs& args, uint32_t processors, const Common& common) {
  switch (args.weight.format) {
    case Format::bf16:
      return launch_input<Format::bf16>(args, processors, common);
    case Format::f16:
      return launch_input<Format::f16>(args, processors, common);
    case Format::q8_0:
      return launch_input<Format::q8_0>(args, processors, common);
    default:
      return launch_input<Format::f32>(args, processors, common);
  }
}

}  // namespace linnet::cuda
