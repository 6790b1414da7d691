// Ops that touch each number once: add, activations, RoPE and its angles, lookup, the store into the cache.
#include "backends/cuda/kernels/fours.cuh"

namespace linnet::cuda {
namespace {

constexpr uint32_t kThreads = 256;

// A grid that gives each row its own blocks.
dim3 grid_of(uint32_t columns, uint32_t rows) {
  return {(columns + kThreads - 1) / kThreads, rows < 65535 ? rows : 65535, 1};
}

__device__ __forceinline__ uint32_t column() {
  return blockIdx.x * kThreads + threadIdx.x;
}

__global__ void add_kernel(AddArgs args, Stamp mark) {
  begin(mark);
  const uint32_t i = column();
  if (i >= args.out.columns) return;
  for (uint32_t row = blockIdx.y; row < args.rows; row += gridDim.y)
    store_number(args.out, row, i, load_number(args.a, row, i) + load_number(args.b, row, i));
}

__global__ void bias_kernel(BiasArgs args) {
  let_next_start();
  wait_for_previous();
  const uint32_t i = column();
  if (i >= args.out.columns) return;
  for (uint32_t row = blockIdx.y; row < args.rows; row += gridDim.y)
    store_number(args.out, row, i, load_number(args.out, row, i) + args.bias[i]);
}

__global__ void activation_kernel(ActivationArgs args, Stamp mark) {
  begin(mark);
  const uint32_t i = column();
  if (i >= args.out.columns) return;
  for (uint32_t row = blockIdx.y; row < args.rows; row += gridDim.y)
    store_number(args.out, row, i, activate(args.kind, load_number(args.x, row, i)));
}

__global__ void gated_activation_kernel(ActivationArgs args, Stamp mark) {
  begin(mark);
  const uint32_t i = column();
  if (i >= args.out.columns) return;
  for (uint32_t row = blockIdx.y; row < args.rows; row += gridDim.y) {
    const float gate = load_number(args.x, row, i);
    const float value = load_number(args.x, row, args.out.columns + i);
    store_number(args.out, row, i, activate(args.kind, gate) * value);
  }
}

__global__ void gated_activation_fours_kernel(ActivationArgs args, Stamp mark) {
  begin(mark);
  const uint32_t i = 4 * column();
  if (i >= args.out.columns) return;
  for (uint32_t row = blockIdx.y; row < args.rows; row += gridDim.y) {
    const float4 gate = load_aligned_four(args.x, row, i);
    const float4 value = load_aligned_four(args.x, row, args.out.columns + i);
    store_four(args.out, row, i, gated_four(args.kind, gate, value));
  }
}

__global__ void embedding_kernel(EmbeddingArgs args, Stamp mark, KernelFailure* failure) {
  begin(mark);
  const uint32_t i = column();
  if (i >= args.out.columns) return;
  for (uint32_t row = blockIdx.y; row < args.rows; row += gridDim.y) {
    const int32_t id = args.ids[row];
    if (!in_range(id, args.entries, FailedCheck::ids, mark, failure)) continue;
    const float value =
        args.table.data != nullptr ? load_number(args.table, id, i) : load_number(args.gathered, id, i);
    store_number(args.out, row, i, value);
  }
}

__global__ void rope_angles_kernel(RopeAnglesArgs args, Stamp mark) {
  begin(mark);
  const uint32_t i = column();
  if (i >= args.pairs) return;
  for (uint32_t row = blockIdx.y; row < args.rows; row += gridDim.y) {
    const float2 turn = turn_of(args.positions[row], reinterpret_cast<const float2*>(args.frequencies)[i]);
    store_number(args.out, row, 2 * i, turn.x);
    store_number(args.out, row, 2 * i + 1, turn.y);
  }
}

__global__ void rope_kernel(RopeArgs args, Stamp mark) {
  begin(mark);
  const uint32_t pairs = args.angles.columns / 2;
  const uint32_t element = column();
  if (element >= args.x.columns) return;
  const uint32_t head = element / args.x.width * args.x.width;
  const uint32_t i = element - head;
  const bool adjacent = args.pairs == RopePairs::adjacent;
  const bool rotated = i < 2 * pairs;
  const uint32_t pair = adjacent ? i / 2 : i % pairs;
  const bool second = adjacent ? i % 2 != 0 : i >= pairs;
  const uint32_t other = adjacent ? i ^ 1u : (second ? i - pairs : i + pairs);
  for (uint32_t row = blockIdx.y; row < args.rows; row += gridDim.y) {
    float value = load_number(args.x, row, element);
    if (rotated) {
      const float cosine = load_number(args.angles, row, 2 * pair);
      const float sine = load_number(args.angles, row, 2 * pair + 1);
      const float partner = load_number(args.x, row, head + other);
      value = second ? partner * sine + value * cosine : value * cosine - partner * sine;
    }
    store_number(args.out, row, element, value);
  }
}

__global__ void rope_fours_kernel(RopeArgs args, Stamp mark) {
  begin(mark);
  const uint32_t pairs = args.angles.columns / 2;
  const uint32_t element = 4 * column();
  if (element >= args.x.columns) return;
  const uint32_t i = element % args.x.width;
  const bool adjacent = args.pairs == RopePairs::adjacent;
  const bool second = !adjacent && i >= pairs;
  const uint32_t pair = adjacent ? i / 2 : second ? i - pairs : i;
  for (uint32_t row = blockIdx.y; row < args.rows; row += gridDim.y) {
    float4 x = load_aligned_four(args.x, row, element);
    if (i < 2 * pairs) {
      const float4 one = load_aligned_four(args.angles, row, 2 * pair);
      if (adjacent) {
        x = turned(x, one);
      } else {
        const float4 partner = load_aligned_four(args.x, row, second ? element - pairs : element + pairs);
        x = turned(x, partner, one, load_aligned_four(args.angles, row, 2 * pair + 4), second);
      }
    }
    store_four(args.out, row, element, x);
  }
}

// The element of the caches where a number of a row goes; ~0 for nowhere.
__device__ __forceinline__ uint64_t stored_at(const Pages& pages, uint32_t row, uint32_t element,
                                              const Stamp& mark, KernelFailure* failure) {
  const int32_t slot = slot_of_row(pages, row, mark, failure);
  uint32_t position;
  if (slot < 0 || !position_of_row(pages, row, mark, failure, position)) return ~0ull;
  const uint64_t place = place_of_token(pages, slot, position, element / pages.width, mark, failure);
  return place == ~0ull ? place : place + element % pages.width;
}

__global__ void kv_store_kernel(KvStoreArgs args, Stamp mark, KernelFailure* failure) {
  begin(mark);
  const uint32_t element = column();
  if (element >= args.k.columns) return;
  for (uint32_t row = blockIdx.y; row < args.pages.rows; row += gridDim.y) {
    const uint64_t at = stored_at(args.pages, row, element, mark, failure);
    if (at == ~0ull) continue;
    store_number(args.k_cache, args.format, at, load_number(args.k, row, element));
    store_number(args.v_cache, args.format, at, load_number(args.v, row, element));
  }
}

__global__ void kv_store_fours_kernel(KvStoreArgs args, Stamp mark, KernelFailure* failure) {
  begin(mark);
  const uint32_t element = 4 * column();
  if (element >= args.k.columns) return;
  for (uint32_t row = blockIdx.y; row < args.pages.rows; row += gridDim.y) {
    const uint64_t at = stored_at(args.pages, row, element, mark, failure);
    if (at == ~0ull) continue;
    store_four(args.k_cache, args.format, at, load_aligned_four(args.k, row, element));
    store_four(args.v_cache, args.format, at, load_aligned_four(args.v, row, element));
  }
}

// A warp per group of 32; exactly the arithmetic of format/q8_a.h.
__global__ void quantize_kernel(QuantizeArgs args, Stamp mark) {
  begin(mark);
  const uint32_t group = (blockIdx.x * kThreads + threadIdx.x) / 32;
  const uint32_t lane = threadIdx.x % 32;
  if (group >= args.x.columns / 32) return;
  for (uint32_t row = blockIdx.y; row < args.rows; row += gridDim.y) {
    const float x = load_number(args.x, row, group * 32 + lane);
    const bool finite = __all_sync(~0u, isfinite(x));
    const float largest = warp_max(fabsf(x));
    auto& block = reinterpret_cast<Q8ABlock*>(args.out.data)[(row * args.out.stride) / 32 + group];
    int code = 0;
    float scale = 0;
    if (!finite) {
      scale = __int_as_float(0x7FC00000);
    } else if (largest >= kQ8ASmallest) {
      scale = __fdiv_rn(largest, 127.0f);
      code = __float2int_rn(__fmul_rn(x, __fdiv_rn(127.0f, largest)));
    }
    block.codes[lane] = static_cast<int8_t>(code);
    const int sum = warp_sum(code);
    if (lane == 0) {
      block.scale = scale;
      block.sum = sum;
    }
  }
}

__global__ void stamp_kernel(Stamp mark) {
  begin(mark);
}

}  // namespace

bool launch_add(const AddArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  launch(add_kernel, grid_of(args.out.columns, args.rows), kThreads, 0, common, args, common.stamp);
  return true;
}

// Belongs to the product before it: no stamp of its own.
bool launch_bias(const BiasArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  launch(bias_kernel, grid_of(args.out.columns, args.rows), kThreads, 0, common, args);
  return true;
}

bool launch_activation(const ActivationArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  launch(activation_kernel, grid_of(args.out.columns, args.rows), kThreads, 0, common, args, common.stamp);
  return true;
}

bool launch_gated_activation(const ActivationArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  const bool fours = floats_in_fours(args.x) && lies_in_fours(args.out);
  launch(fours ? gated_activation_fours_kernel : gated_activation_kernel,
         grid_of(args.out.columns / (fours ? 4 : 1), args.rows), kThreads, 0, common, args, common.stamp);
  return true;
}

bool launch_embedding(const EmbeddingArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  launch(embedding_kernel, grid_of(args.out.columns, args.rows), kThreads, 0, common, args, common.stamp,
         common.failure);
  return true;
}

bool launch_rope_angles(const RopeAnglesArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  launch(rope_angles_kernel, grid_of(args.pairs, args.rows), kThreads, 0, common, args, common.stamp);
  return true;
}

bool launch_rope(const RopeArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  // Fours are of one head, and turned as a whole or not at all.
  const bool fours = floats_in_fours(args.x) && lies_in_fours(args.out) && args.angles.columns % 8 == 0 &&
                     args.angles.stride % 4 == 0 && reinterpret_cast<uintptr_t>(args.angles.data) % 16 == 0;
  launch(fours ? rope_fours_kernel : rope_kernel, grid_of(args.x.columns / (fours ? 4 : 1), args.rows),
         kThreads, 0, common, args, common.stamp);
  return true;
}

bool launch_kv_store(const KvStoreArgs& args, const Common& common) {
  if (args.pages.rows == 0) return false;
  const bool fours = floats_in_fours(args.k) && floats_in_fours(args.v);
  launch(fours ? kv_store_fours_kernel : kv_store_kernel,
         grid_of(args.k.columns / (fours ? 4 : 1), args.pages.rows), kThreads, 0, common, args, common.stamp,
         common.failure);
  return true;
}

bool launch_quantize(const QuantizeArgs& args, const Common& common) {
  if (args.rows == 0) return false;
  launch(quantize_kernel, grid_of(args.x.columns, args.rows), kThreads, 0, common, args, common.stamp);
  return true;
}

bool kernels_run_here() {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, stamp_kernel);
  static_cast<void>(cudaGetLastError());
  return status == cudaSuccess;
}

bool launch_stamp(const Common& common) {
  launch(stamp_kernel, 1, 1, 0, common, common.stamp);
  return true;
}

}  // namespace linnet::cuda
