// Stages of a decoder layer for more rows than panels take, with weights in Q8_0: a product on the matrix
// units and what follows it in one kernel. x is BF16; on GPUs with compute capability 9.0.
//
// Codes are multiplied as the BF16 numbers that they are. A group of four warps has 64 rows of the weight as
// its left factor, in registers, and a tile's rows of x as its right one, in shared memory: the sums of a
// block of 32 columns then have two scales a thread, and are added to the others in float while the other
// group multiplies.
//
// Blocks, clusters and the ring are those of slab.h, but a cluster takes few rows of x, which each block
// brings half of for both, and 256 rows of the weight. The order of a sum depends on its length only.
#pragma once

#include <cuda.h>

#include <array>

#include "backends/cuda/kernels/kernels.h"

namespace linnet::cuda {

inline constexpr uint32_t kCodeColumns = 64;  // of a tile: 128 bytes of x, the widest that is swizzled
inline constexpr uint32_t kCodeBox = 32;      // rows of the weight of one copy
// Rows of x that a tile may have; a copy has half of them.
inline constexpr std::array<uint32_t, 3> kCodeSlabRows{64, 96, 128};

struct CodeSlabArgs {
  StageArgs stage{};     // its x is what the product takes: a norm has been
  CUtensorMap weight{};  // codes, in swizzled boxes of kCodeBox rows
  CUtensorMap x{};       // in boxes of half a tile's rows
};

// A product of a weight [n, k] in Q8_0.
[[nodiscard]] bool code_slab_takes(uint32_t n, uint32_t k);
// Which of kCodeSlabRows is the fastest for so many rows of x.
[[nodiscard]] size_t code_slab_way(uint32_t rows, uint32_t n, uint32_t processors);
// Its kind is not `linear`; pairs of rope_and_store lie in whole boxes of one head. Outputs and residual of
// `add` are f32, all other outputs and the caches BF16; rows begin at multiples of 16 bytes.
bool launch_code_slab(const CodeSlabArgs& args, uint32_t rows_of_tile, uint32_t processors,
                      const Common& common);

}  // namespace linnet::cuda
