// Stages of a decoder layer for hundreds of rows: a product on the matrix units and what follows it in one
// kernel, so that its sums never lie in memory. For BF16, on GPUs with compute capability 9.0.
//
// There are as many blocks as multiprocessors, two of them a cluster. A cluster takes 256 rows of x and as
// many of the weight at a time, then the next: each block has half of the rows of x and brings half of the
// rows of the weight, for both. One thread of a block asks for tiles (tensor copies into a ring), two groups
// of four warps multiply them. The order of a sum depends on its length only.
#pragma once

#include <cuda.h>

#include "backends/cuda/kernels/kernels.h"

namespace linnet::cuda {

inline constexpr uint32_t kSlabColumns = 64;  // of a tile: 128 bytes, the widest that is swizzled
inline constexpr uint32_t kSlabRows = 128;    // of one copy
// Of x. Rows are taken 256 at a time, so with fewer too many would be multiplied in vain.
inline constexpr uint32_t kFewestSlabRows = 513;

struct SlabArgs {
  StageArgs stage{};     // its x is what the product takes: a norm has been
  CUtensorMap weight{};  // both in boxes of kSlabRows rows
  CUtensorMap x{};
};

// A product of up to `capacity` rows of x and a weight [n, k], both BF16.
[[nodiscard]] bool slab_takes(uint32_t capacity, uint32_t n, uint32_t k);
// Whether no multiprocessors are left without work for long: else smaller tiles are faster, which cuBLASLt
// has.
[[nodiscard]] bool slab_fills(uint32_t rows, uint32_t n, uint32_t processors);
// Its kind is not `linear`; heads of rope_and_store have 64 or 128 numbers, all of them turned. Outputs and
// residual of `add` are f32, all other outputs and the caches BF16; rows begin at multiples of 16 bytes.
bool launch_slab(const SlabArgs& args, uint32_t processors, const Common& common);

}  // namespace linnet::cuda
