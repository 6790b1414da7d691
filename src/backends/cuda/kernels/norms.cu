// Norms and softmax: a block per vector of the last dimension, in float.
#include "backends/cuda/kernels/launch.cuh"

namespace linnet::cuda {
namespace {

constexpr uint32_t kThreads = 256;

struct Vector {
  uint64_t row;
  uint32_t first;  // column at which it begins
};

__device__ __forceinline__ Vector vector_of_block(const Tensor& x) {
  const uint32_t in_row = x.columns / x.width;
  return {blockIdx.x / in_row, blockIdx.x % in_row * x.width};
}

__global__ void rms_norm_kernel(NormArgs args, Stamp mark) {
  begin(mark);
  __shared__ float shared[32];
  const Vector at = vector_of_block(args.x);
  float squares = 0;
  for (uint32_t i = threadIdx.x; i < args.x.width; i += kThreads) {
    const float x = load_number(args.x, at.row, at.first + i);
    squares += x * x;
  }
  squares = block_sum(squares, shared);
  const float inverse = 1.0f / sqrtf(squares / static_cast<float>(args.x.width) + args.epsilon);
  for (uint32_t i = threadIdx.x; i < args.x.width; i += kThreads) {
    const float x = load_number(args.x, at.row, at.first + i);
    store_number(args.out, at.row, at.first + i, x * inverse * args.weight[i]);
  }
}

// The same for rows of f32 that lie in fours, each thread with at most kKept of them, which stay in its
// registers.
constexpr uint32_t kKept = 4;
__global__ void __launch_bounds__(kThreads) rms_norm_fours_kernel(NormArgs args, Stamp mark) {
  begin(mark);
  __shared__ float shared[32];
  const auto for_each = [&](auto&& visit) {
#pragma unroll
    for (uint32_t u = 0; u < kKept; ++u) {
      const uint32_t i = 4 * (u * kThreads + threadIdx.x);
      if (i < args.x.width) visit(u, i);
    }
  };
  float4 x[kKept];
  float4 weights[kKept];
  for_each([&](uint32_t u, uint32_t i) {
    x[u] = load_aligned_four(args.x, blockIdx.x, i);
    weights[u] = *reinterpret_cast<const float4*>(args.weight + i);
  });
  float squares = 0;
  for_each([&](uint32_t u, uint32_t) {
    squares += x[u].x * x[u].x + x[u].y * x[u].y + x[u].z * x[u].z + x[u].w * x[u].w;
  });
  squares = block_sum(squares, shared);
  const float inverse = 1.0f / sqrtf(squares / static_cast<float>(args.x.width) + args.epsilon);
  for_each([&](uint32_t u, uint32_t i) {
    store_four(args.out, blockIdx.x, i,
               {x[u].x * inverse * weights[u].x, x[u].y * inverse * weights[u].y,
                x[u].z * inverse * weights[u].z, x[u].w * inverse * weights[u].w});
  });
}

bool in_fours(const NormArgs& args) {
  return args.x.width == args.x.columns && args.x.width <= 4 * kKept * kThreads && floats_in_fours(args.x) &&
         lies_in_fours(args.out) && reinterpret_cast<uintptr_t>(args.weight) % 16 == 0;
}

__global__ void layer_norm_kernel(NormArgs args, Stamp mark) {
  begin(mark);
  __shared__ float shared[32];
  const Vector at = vector_of_block(args.x);
  float sum = 0;
  for (uint32_t i = threadIdx.x; i < args.x.width; i += kThreads)
    sum += load_number(args.x, at.row, at.first + i);
  const float mean = block_sum(sum, shared) / static_cast<float>(args.x.width);
  float squares = 0;
  for (uint32_t i = threadIdx.x; i < args.x.width; i += kThreads) {
    const float x = load_number(args.x, at.row, at.first + i) - mean;
    squares += x * x;
  }
  const float variance = block_sum(squares, shared) / static_cast<float>(args.x.width);
  const float inverse = 1.0f / sqrtf(variance + args.epsilon);
  for (uint32_t i = threadIdx.x; i < args.x.width; i += kThreads) {
    const float x = (load_number(args.x, at.row, at.first + i) - mean) * inverse;
    const float weight = args.weight != nullptr ? args.weight[i] : 1.0f;
    const float bias = args.bias != nullptr ? args.bias[i] : 0.0f;
    store_number(args.out, at.row, at.first + i, x * weight + bias);
  }
}

__global__ void softmax_kernel(SoftmaxArgs args, Stamp mark) {
  begin(mark);
  __shared__ float shared[32];
  const Vector at = vector_of_block(args.x);
  float largest = -INFINITY;
  for (uint32_t i = threadIdx.x; i < args.x.width; i += kThreads)
    largest = fmaxf(largest, load_number(args.x, at.row, at.first + i));
  largest = block_max(largest, shared);
  float sum = 0;
  for (uint32_t i = threadIdx.x; i < args.x.width; i += kThreads)
    sum += expf(load_number(args.x, at.row, at.first + i) - largest);
  sum = block_sum(sum, shared);
  for (uint32_t i = threadIdx.x; i < args.x.width; i += kThreads) {
    const float x = expf(load_number(args.x, at.row, at.first + i) - largest);
    store_number(args.out, at.row, at.first + i, x / sum);
  }
}

uint32_t vectors_of(const Tensor& x, uint32_t rows) {
  return rows * (x.columns / x.width);
}

}  // namespace

bool launch_rms_norm(const NormArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  const auto kernel = in_fours(args) ? rms_norm_fours_kernel : rms_norm_kernel;
  launch(kernel, vectors_of(args.x, args.rows), kThreads, 0, common, args, common.stamp);
  return true;
}

bool launch_layer_norm(const NormArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  launch(layer_norm_kernel, vectors_of(args.x, args.rows), kThreads, 0, common, args, common.stamp);
  return true;
}

bool launch_softmax(const SoftmaxArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  launch(softmax_kernel, vectors_of(args.x, args.rows), kThreads, 0, common, args, common.stamp);
  return true;
}

}  // namespace linnet::cuda
