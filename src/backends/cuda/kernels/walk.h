// The persistent kernel that walks the layers of a decoder for one row: stages as data, one block a
// multiprocessor. Some warps of each block stream the weights of that block's rows, of all stages, through a
// ring in shared memory and never wait for activations; the others multiply on the matrix units.
//
// Between stages numbers travel as words: a float whose low eight bits say which use of its place it belongs
// to, so that a reader polls the number itself and there is no barrier across the GPU. What has 16 bits
// anyway (outputs of attention and of gates) travels in pairs, two in a word. What a block alone needs again
// (the residual of its own rows) stays plain and whole. At the end each block tells which of its logits is
// the largest, and the first one draws.
#pragma once

#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/walk_share.h"

namespace linnet::cuda {

// Which use of its place something is: in run r the number `r · uses + number`, so that each use has the
// number of the one before and one more, and the first of all is 1.
struct WalkUse {
  uint8_t uses;  // in one run
  uint8_t number;
  [[nodiscard]] __host__ __device__ __forceinline__ uint32_t in(uint32_t run) const {
    return run * uses + number;
  }
};

// What gates make is read by all blocks at once: there are copies of it, so that fewer read the same.
inline constexpr uint32_t kGateCopies = 4;  // a power of two
[[nodiscard]] __host__ __device__ constexpr uint32_t words_of_copy(uint32_t numbers) {
  return (numbers / 2 + 63) / 64 * 64;
}

// The weights of a stage, and who has which of their rows: all that those who stream need of it.
struct alignas(16) WalkWeights {
  const std::byte* weight;
  const std::byte* scales;  // Q8_0
  uint32_t n;
  uint32_t k;
  WalkShare share;
  bool in_pairs;  // a word has two numbers of x
  uint8_t line;   // of the receipt; those who stream do not need it, but here is room
  // Rows that belong together come in one unit: those below `paired` in halves of 2^shift rows.
  uint32_t shift;
  uint32_t half;
  uint32_t paired;  // of those 2^shift
};

// What one stage reads and writes.
struct WalkStage : WalkWeights {
  enum class Kind : uint8_t { linear, add, gated, rope_and_store, attention };
  const float* norm;
  const float* bias;
  const float* plain_in;  // x, where it was not made in the walk
  const float* residual;  // add: null where it is what the sum before made
  float* plain_out;       // linear
  std::byte* k_cache;     // rope_and_store, attention
  std::byte* v_cache;
  uint32_t in;   // words, from the beginning of all words
  uint32_t out;  // words too, but for linear: the row of its plain output that is its first
  float epsilon;
  float inverse_k;
  WalkUse in_use;
  WalkUse out_use;
  Kind kind;
  ActivationKind activation;
  uint8_t entry;      // of WalkArgs::entries
  uint8_t in_copies;  // of x, a power of two: each block reads one of them
};
static_assert(sizeof(WalkWeights) == 48 && sizeof(WalkStage) == 128);

// What a run adds to a line of the receipt, beside time.
struct WalkEntry {
  uint32_t line;
  uint32_t count;
  unsigned long long bytes;  // read and written, as far as the host can know
};
inline constexpr uint32_t kWalkEntries = 8;

// How much of the weights may be on its way, because results and polls wait behind it: while a block waits
// for activations, while it multiplies another stage than theirs, and while it multiplies theirs. Quarters of
// a slot, which four warps bring; one slot at least.
struct WalkPace {
  uint32_t waiting;
  uint32_t next;
  uint32_t busy;
};

// What all stages share.
struct WalkArgs {
  const WalkStage* stages;
  uint32_t count;
  uint32_t entry_count;
  WalkEntry entries[kWalkEntries];
  uint32_t* words;
  uint2* partials;           // of attention in several stretches: {number, run}
  uint32_t* progress;        // [0]: runs so far, [1]: blocks that have ended this run
  Pages pages;               // one row
  const float* angles;       // null where the walk makes them,
  const float* frequencies;  // of these
  uint32_t rope_pairs;
  uint32_t width_shift;  // of heads: log2
  RopePairs pairs;
  uint32_t heads;
  float attention_scale;
  WalkPace pace;
  uint32_t first_attention;  // stage
  uint32_t attention_line;   // of the receipt
  Format format;             // of all weights: bf16 or q8_0
  uint32_t slots;            // of the ring
  uint32_t work_bytes;       // of shared memory behind the ring
  // The draw, where the run ends with it: each block's largest logit, as a word of 64 bits (walk_draw.cuh).
  bool draws;
  uint32_t sample_line;  // of the receipt
  SampleArgs sample;
  unsigned long long* largest;
};

// Whether the walk takes a product with such a weight.
[[nodiscard]] bool walk_takes(Format weight, uint32_t k);
// Bytes of shared memory for the work of one stage, and how many slots the ring has beside the largest of
// them, where attention may have so many tokens; 0: too large.
[[nodiscard]] uint32_t walk_product_bytes(Format weight, uint32_t k, const WalkShare& share);
[[nodiscard]] uint32_t walk_attention_bytes(uint32_t group);
[[nodiscard]] uint32_t walk_slots(Format weight, uint32_t work_bytes, uint32_t tokens);
// Into how many tasks attention of one key head is split at least.
[[nodiscard]] uint32_t walk_tasks(uint32_t group, uint32_t width);
// Words that attention's partial results may need.
[[nodiscard]] size_t walk_partials(uint32_t heads, uint32_t width, uint32_t kv_heads, uint32_t processors);
bool launch_walk(const WalkArgs& args, uint32_t processors, const Common& common);

}  // namespace linnet::cuda
