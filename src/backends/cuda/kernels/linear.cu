// A product of any formats and shapes: 32 × 32 outputs a block, sums in float. The products that matter have
// ways of their own: stage.cu for few rows, product.cpp for many.
#include "backends/cuda/kernels/launch.cuh"

namespace linnet::cuda {
namespace {

constexpr uint32_t kTile = 32;
constexpr uint32_t kThreads = 256;
constexpr uint32_t kRowsAThread = kTile * kTile / kThreads;

struct Place {
  uint64_t row;
  uint32_t first;
};

// Vector v of x or out: rows of three dimensions hold several.
__device__ __forceinline__ Place place_of(const Tensor& tensor, uint32_t vector) {
  const uint32_t in_row = tensor.columns / tensor.width;
  return {vector / in_row, vector % in_row * tensor.width};
}

__global__ void __launch_bounds__(kThreads) linear_kernel(LinearArgs args, Stamp mark) {
  begin(mark);
  __shared__ float xs[kTile][kTile + 1];
  __shared__ float ws[kTile][kTile + 1];
  const uint32_t k = args.weight.columns;
  const uint32_t first_vector = blockIdx.y * kTile;
  const uint32_t first_column = blockIdx.x * kTile;
  const uint32_t lane = threadIdx.x % kTile;
  const uint32_t strip = threadIdx.x / kTile;  // of kTile / kRowsAThread
  float sums[kRowsAThread] = {};
  for (uint32_t begin = 0; begin < k; begin += kTile) {
    const uint32_t i = begin + lane;
    for (uint32_t r = strip; r < kTile; r += kThreads / kTile) {
      const uint32_t vector = first_vector + r;
      float x = 0;
      if (vector < args.vectors && i < k) {
        const Place at = place_of(args.x, vector);
        x = load_number(args.x, at.row, at.first + i);
      }
      xs[r][lane] = x;
      const uint32_t n = first_column + r;
      ws[r][lane] = n < args.weight.rows && i < k ? load_number(args.weight, n, i) : 0.0f;
    }
    __syncthreads();
    float partial[kRowsAThread] = {};
#pragma unroll 8
    for (uint32_t j = 0; j < kTile; ++j) {
      const float w = ws[lane][j];
#pragma unroll
      for (uint32_t r = 0; r < kRowsAThread; ++r) partial[r] += xs[strip * kRowsAThread + r][j] * w;
    }
#pragma unroll
    for (uint32_t r = 0; r < kRowsAThread; ++r) sums[r] += partial[r];
    __syncthreads();
  }
  const uint32_t n = first_column + lane;
  if (n >= args.weight.rows) return;
  const float bias = args.bias != nullptr ? args.bias[n] : 0.0f;
#pragma unroll
  for (uint32_t r = 0; r < kRowsAThread; ++r) {
    const uint32_t vector = first_vector + strip * kRowsAThread + r;
    if (vector >= args.vectors) return;
    const Place at = place_of(args.out, vector);
    store_number(args.out, at.row, at.first + n, sums[r] + bias);
  }
}

}  // namespace

bool launch_linear(const LinearArgs& args, const Common& common) {
  if (args.vectors == 0) return false;
  const dim3 grid((args.weight.rows + kTile - 1) / kTile, (args.vectors + kTile - 1) / kTile);
  launch(linear_kernel, grid, kThreads, 0, common, args, common.stamp);
  return true;
}

}  // namespace linnet::cuda
