// How the sums of a cluster's blocks meet.
#pragma once

#include "backends/cuda/kernels/barriers.cuh"
#include "backends/cuda/kernels/cluster.cuh"
#include "backends/cuda/kernels/panel_work.cuh"

namespace linnet::cuda {

// A unit has 16 pairs: rows that lie together, or 16 rows and their 16 partners.
__device__ __forceinline__ bool together(const PanelShared& shared, uint32_t unit) {
  return shared.boxes[2 * unit + 1] == shared.boxes[2 * unit] + kPanelBox;
}

// Rows of a pair come to lie side by side, also where they do not in the tile.
__device__ __forceinline__ void keep_sums(const float (&sums)[kPanelSums], float* kept, uint32_t stride,
                                          const PanelWork& work, const PanelShared& shared) {
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t box = threadIdx.x / 32;  // a warp has the 16 rows of one
  const uint32_t unit = box / 2;
  if (unit >= work.units) return;
  const bool near = together(shared, unit);
  const uint32_t step = near ? 1 : 2;
  float* to =
      kept + unit * kPanelUnit + box % 2 * (near ? kPanelBox : 1) + lane / 4 * step + 2 * (lane % 4) * stride;
#pragma unroll
  for (uint32_t j = 0; j < kMaxPanelRows / 8; ++j, to += 8 * stride) {
    to[0] = sums[4 * j];
    to[stride] = sums[4 * j + 1];
    to[8 * step] = sums[4 * j + 2];
    to[stride + 8 * step] = sums[4 * j + 3];
  }
}

__device__ __forceinline__ void copy_to_block(uint32_t to, uint32_t from, uint32_t bytes, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          to),
      "r"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void meet_multipliers() {
  __syncwarp();
  asm volatile("bar.sync 1, %0;" ::"n"(kPanelMultiply) : "memory");
}

// Each other block of the cluster gets the rows that it ends, by one copy; this one has all of its own when
// this returns.
__device__ __forceinline__ void exchange_sums(const PanelPlan& plan, const PanelWork& work, uint32_t ring,
                                              PanelShared& shared) {
  const uint32_t rank = threadIdx.x;
  if (rank < plan.split() && rank != work.rank) {
    copy_to_block(in_block(ring + plan.sums_at + work.rank * plan.sums_bytes(), rank),
                  ring + rank * plan.sums_bytes(), plan.sums_bytes(),
                  in_block(shared_address(&shared.summed), rank));
  }
  wait(&shared.summed, 0);
}

// What the blocks of a cluster have summed up, in their order: four sums from `at` on, the block's own as it
// kept them.
__device__ __forceinline__ float4 sum_up(const PanelPlan& plan, const PanelWork& work,
                                         const std::byte* memory, uint32_t at) {
  float4 sum{0, 0, 0, 0};
#pragma unroll 1
  for (uint32_t rank = 0; rank < plan.split(); ++rank) {
    const uint32_t begin = (rank == work.rank ? 0 : plan.sums_at) + rank * plan.sums_bytes();
    const float4 part = *reinterpret_cast<const float4*>(memory + begin + at * sizeof(float));
    sum = {sum.x + part.x, sum.y + part.y, sum.z + part.z, sum.w + part.w};
  }
  return sum;
}

// A stage whose outputs are normed next: what each thread has left of its squares, added up in order.
__device__ __forceinline__ void put_squares(const PanelRows& rows, const PanelPlan& plan,
                                            const PanelWork& work, const PanelNorm& norm, const float* left,
                                            uint32_t in_row) {
  meet_multipliers();
  if (threadIdx.x >= rows.count) return;
  float squares = 0;
  for (uint32_t i = 0; i < in_row; ++i) squares += left[threadIdx.x * plan.sums_stride + 4 * i];
  norm.squares[(rows.first + threadIdx.x) * PanelNorm::kMostParts + work.cluster] = squares;
}

}  // namespace linnet::cuda
