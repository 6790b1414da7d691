// Attention of long prompts by groups of four warps, whose products take keys and values where they lie in
// shared memory. For BF16, on GPUs with compute capability 9.0.
#pragma once

#include <cuda.h>

#include "backends/cuda/kernels/kernels.h"

namespace linnet::cuda {

struct GroupAttentionArgs {
  AttentionArgs attention{};
  CUtensorMap keys{};    // all pages as one matrix whose rows are tokens, in boxes of a page
  CUtensorMap values{};  // too
};

// Formats and widths that it takes, of queries and outputs that lie as `args` says.
[[nodiscard]] bool group_attention_takes(const AttentionArgs& args);
// Whether a run has rows enough that it is faster than what launch_attention() chooses.
[[nodiscard]] bool group_attention_pays(const AttentionArgs& args);
bool launch_group_attention(const GroupAttentionArgs& args, const Common& common);

}  // namespace linnet::cuda
