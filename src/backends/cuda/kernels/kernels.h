// The kernels, one function each that enqueues it: plain arguments in, false if there was nothing to do for
// these counts. What an op means is in its header under program/ops.
#pragma once

#include <cuda_runtime_api.h>

#include "backends/cuda/counters.h"
#include "backends/cuda/operands.h"
#include "program/ops/activation.h"
#include "program/ops/paging.h"
#include "program/ops/rope.h"

namespace linnet::cuda {

// What every launch has.
struct Common {
  Stamp stamp;
  KernelFailure* failure = nullptr;
  cudaStream_t stream = nullptr;
  bool overlap = false;    // a kernel may start before the one before it has ended (kernels/launch.cuh)
  bool load_only = false;  // nothing runs; the kernel is brought to the GPU, where its first launch finds it
};

struct AddArgs {
  Tensor a, b, out;
  uint32_t rows;
};
bool launch_add(const AddArgs& args, const Common& common);

struct ActivationArgs {
  Tensor x, out;
  uint32_t rows;
  ActivationKind kind;
};
bool launch_activation(const ActivationArgs& args, const Common& common);
bool launch_gated_activation(const ActivationArgs& args, const Common& common);

struct NormArgs {
  Tensor x, out;
  const float* weight;  // null: 1
  const float* bias;    // null: 0
  uint32_t rows;
  float epsilon;
};
bool launch_rms_norm(const NormArgs& args, const Common& common);
bool launch_layer_norm(const NormArgs& args, const Common& common);

struct SoftmaxArgs {
  Tensor x, out;
  uint32_t rows;
};
bool launch_softmax(const SoftmaxArgs& args, const Common& common);

struct EmbeddingArgs {
  Matrix table;
  Tensor gathered;  // instead of table: rows of activations
  const int32_t* ids;
  Tensor out;
  uint32_t rows;
  uint32_t entries;
};
bool launch_embedding(const EmbeddingArgs& args, const Common& common);

struct RopeAnglesArgs {
  const int32_t* positions;
  const float* frequencies;
  Tensor out;
  uint32_t rows;
  uint32_t pairs;
};
bool launch_rope_angles(const RopeAnglesArgs& args, const Common& common);

struct RopeArgs {
  Tensor x, angles, out;
  uint32_t rows;
  RopePairs pairs;
};
bool launch_rope(const RopeArgs& args, const Common& common);

struct KvStoreArgs {
  Tensor k, v;
  Pages pages;
  std::byte* k_cache;
  std::byte* v_cache;
  Format format;
};
bool launch_kv_store(const KvStoreArgs& args, const Common& common);

struct QuantizeArgs {
  Tensor x, out;
  uint32_t rows;
};
bool launch_quantize(const QuantizeArgs& args, const Common& common);

struct LinearArgs {
  Tensor x;
  Matrix weight;
  const float* bias;
  Tensor out;
  uint32_t vectors;  // of k numbers; several in a row of x if it has three dimensions
};
bool launch_linear(const LinearArgs& args, const Common& common);

// Rows of a weight as parts of a 16-bit format whose sum they are, the largest first (unpacking.h).
struct UnpackArgs {
  Matrix weight;  // columns a multiple of 8
  uint32_t first_row;
  uint32_t rows;
  Format format;  // of the parts
  uint32_t parts;
  std::byte* out;     // [rows, columns] of each part
  size_t part_bytes;  // from one part to the next
};
// False also where there is no kernel for such parts.
bool launch_unpack(const UnpackArgs& args, const Common& common);

struct BiasArgs {
  const float* bias;
  Tensor out;  // to which it is added
  uint32_t rows;
};
bool launch_bias(const BiasArgs& args, const Common& common);

// Attention: each block takes a stretch of one row's keys for one key head; the last to finish joins them.
struct AttentionArgs {
  Tensor q, out;
  Pages pages;
  const std::byte* k_cache;
  const std::byte* v_cache;
  Format format;
  uint32_t heads;
  float scale;
  uint32_t processors;  // of the GPU
  uint32_t splits;
  float* partial;      // [row, head, split]: maximum, sum, weighted values (width)
  uint32_t* finished;  // [row, key head], zero between runs
};
[[nodiscard]] uint32_t attention_splits(uint32_t rows, uint32_t kv_heads, uint32_t pages_a_slot,
                                        uint32_t processors);
bool launch_attention(const AttentionArgs& args, const Common& common);
// The same for 16-bit queries and caches of the widths that models have, on the matrix units.
[[nodiscard]] bool attention_on_matrix_units(const AttentionArgs& args);
bool launch_matrix_attention(const AttentionArgs& args, const Common& common);
// And of those the batches whose sequences have many rows each.
[[nodiscard]] bool attention_of_prompts(const AttentionArgs& args);
bool launch_prompt_attention(const AttentionArgs& args, const Common& common);

// A product with few rows, as the stages of a decoder layer have it: an optional norm before it, and what is
// done with pairs of its outputs after it.
struct StageArgs {
  enum class Kind : uint8_t {
    linear,          // out = product + bias
    add,             // out = product + bias + residual
    gated,           // rows i and i + n / 2: activation(gate) · up
    rope_and_store,  // q|k|v: rotated queries to out, rotated keys and values to the caches
  };
  Kind kind;
  Tensor x;
  const float* norm;  // null: x as it is
  float epsilon;
  Matrix weight;
  const float* bias;
  Tensor residual;
  Tensor out;
  uint32_t rows;
  ActivationKind activation;
  // rope_and_store
  Tensor angles;
  Pages pages;
  std::byte* k_cache;
  std::byte* v_cache;
  Format cache_format;
  Format input;  // what x becomes before the product: f32, f16 or bf16
  uint32_t heads;
  uint32_t rope_pairs;
  RopePairs pairs;
};
inline constexpr uint32_t kMaxStageRows = 8;
// Whether the stage kernel takes such a product.
[[nodiscard]] bool stage_takes(uint32_t rows, uint32_t n, uint32_t k, Format weight, Format input);
bool launch_stage(const StageArgs& args, uint32_t processors, const Common& common);

struct SampleArgs {
  Tensor logits;
  const int32_t* slots;
  const int32_t* params;
  const int32_t* stop_ids;
  uint32_t stop_count;
  int32_t* tokens;
  int32_t* positions;
  int32_t* remaining;
  int32_t* ring;
  uint32_t ring_length;
  uint32_t slot_count;
  uint32_t rows;
};
bool launch_sample(const SampleArgs& args, const Common& common);

// Reads all of it, for measuring.
struct ReadArgs {
  const std::byte* data;
  uint64_t pieces;  // of 16 bytes
  uint32_t* sink;
  uint32_t blocks;
};
bool launch_read(const ReadArgs& args, const Common& common);

// Whether kernels of this build can be launched on the current GPU.
[[nodiscard]] bool kernels_run_here();

// The stamp alone: at the end of a run, and before a kernel that is not ours.
bool launch_stamp(const Common& common);

}  // namespace linnet::cuda
