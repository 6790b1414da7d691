// The stages of a decoder layer for some dozens of rows: a product on the matrix units that is as fast as its
// weights come, and what follows it, in one kernel. x is BF16, the weight BF16 or Q8_0; on GPUs with compute
// capability 9.0.
//
// Rows of the weight are shared by clusters of blocks, and the columns by the blocks of a cluster. A warp
// asks for tiles of both factors (tensor copies into a ring), two groups of four warps multiply them, the
// sums of a cluster's blocks meet in their shared memory, and each block ends some rows of x. The order of a
// sum depends on the weight's shape and the GPU only.
#pragma once

#include <cuda.h>

#include "backends/cuda/kernels/kernels.h"

namespace linnet::cuda {

inline constexpr uint32_t kMaxPanelRows = 64;          // with 128 cuBLASLt is as fast
inline constexpr uint32_t kPanelColumns = 64;          // of a tile: 128 bytes, the widest that is swizzled
inline constexpr uint32_t kPanelBox = 16;              // rows of one copy
inline constexpr uint32_t kPanelUnit = 2 * kPanelBox;  // rows of the weight: 16 pairs, as the end needs them

struct PanelShape {
  uint32_t split = 2;     // blocks of a cluster: a power of two
  uint32_t clusters = 1;  // units are shared among them, four at most each
};

// A norm between two stages without a kernel of its own: the first writes its result times the norm's weight,
// and sums of its squares; the second takes that as its x, and scales its sums by what the squares tell.
struct PanelNorm {
  float* squares = nullptr;  // [row][kMostParts]: one of each cluster of the first, zeros behind them
  // Of the first. Null: nothing follows.
  const float* weight = nullptr;
  std::byte* scaled = nullptr;  // [row][n] BF16
  // Of the second. 0: x is as it is.
  uint32_t parts = 0;
  float epsilon = 0;

  static constexpr uint32_t kMostParts = 256;
};

struct PanelArgs {
  StageArgs stage{};  // its x is what the product takes: a norm has been
  PanelNorm norm{};
  PanelShape shape{};
  CUtensorMap
      weight{};     // in boxes of kPanelBox rows: with larger ones a prompt takes 5 % longer (docs/cuda.md)
  CUtensorMap x{};  // too
};

// A product of `capacity` rows of x and a weight [n, k].
[[nodiscard]] bool panel_takes(uint32_t capacity, uint32_t n, uint32_t k);
[[nodiscard]] PanelShape panel_shape(uint32_t n, uint32_t k, uint32_t processors);
// Its kind is not `linear`. Outputs and residual of `add` are f32 and their rows begin at multiples of 16
// bytes; those of `gated`'s outputs at even numbers.
bool launch_panel(const PanelArgs& args, const Common& common);

}  // namespace linnet::cuda
