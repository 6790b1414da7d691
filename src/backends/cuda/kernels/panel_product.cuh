// How a block of a panel multiplies: one thread asks for tiles of both factors, groups of four warps take
// them.
#pragma once

#include "backends/cuda/kernels/barriers.cuh"
#include "backends/cuda/kernels/launch.cuh"
#include "backends/cuda/kernels/panel_work.cuh"
#include "backends/cuda/kernels/tensor_copies.cuh"
#include "backends/cuda/kernels/warpgroup.cuh"

namespace linnet::cuda {

// The thread that asks for tiles: weights, which depend on nothing, as far as the ring reaches before the
// kernel before has ended; then x beside them.
template <bool kCodes>
class PanelAsker {
  static constexpr uint32_t kWeightBox = kPanelBox * panel_row_bytes(kCodes);

 public:
  __device__ __forceinline__ PanelAsker(const PanelArgs& args, const PanelPlan& plan, const PanelWork& work,
                                        PanelShared& shared, uint32_t ring)
      : args_(args),
        plan_(plan),
        work_(work),
        shared_(shared),
        ring_(ring),
        x_boxes_((args.stage.rows + kPanelBox - 1) / kPanelBox),
        policy_(read_once_policy()) {}

  __device__ __forceinline__ void run() {
    const uint32_t ahead = min(work_.steps, plan_.slots);
    for (uint32_t i = 0; i < ahead; ++i) ask_for_weights(i, i);
    wait_for_previous();
    TileRing at;
    for (uint32_t i = 0; i < work_.steps; ++i) {
      if (i >= ahead) {
        wait(&shared_.empty[at.slot], at.parity ^ 1);
        ask_for_weights(i, at.slot);
      }
      ask_for_x(i, at.slot);
      at.advance(plan_.slots);
    }
  }

 private:
  __device__ __forceinline__ void ask_for_weights(uint32_t step, uint32_t slot) {
    uint64_t* barrier = &shared_.full[slot];
    expect_bytes(barrier, x_boxes_ * kPanelBoxBytes + 2 * work_.units * kWeightBox);
    uint32_t to = ring_ + slot * plan_.slot_bytes + kMaxPanelRows * kPanelRowBytes;
#pragma unroll 1
    for (uint32_t i = 0; i < 2 * work_.units; ++i, to += kWeightBox)
      copy_box(to, args_.weight, work_.column(step), shared_.boxes[i], barrier, policy_);
  }
  __device__ __forceinline__ void ask_for_x(uint32_t step, uint32_t slot) {
    uint32_t to = ring_ + slot * plan_.slot_bytes;
#pragma unroll 1
    for (uint32_t i = 0; i < x_boxes_; ++i, to += kPanelBoxBytes)
      copy_box(to, args_.x, work_.column(step), i * kPanelBox, &shared_.full[slot]);
  }

  const PanelArgs& args_;
  const PanelPlan& plan_;
  const PanelWork& work_;
  PanelShared& shared_;
  uint32_t ring_;
  uint32_t x_boxes_;
  uint64_t policy_;
};

// By the warps that multiply: the product of the block's columns. Rows that it does not have, of x and of the
// weight, are whatever lies there: their sums are nobody's.
__device__ __forceinline__ void multiply_steps(const PanelPlan& plan, const PanelWork& work,
                                               PanelShared& shared, uint32_t ring,
                                               float (&sums)[kPanelSums]) {
  const uint32_t group = threadIdx.x / 128;
  TileRing at;
#pragma unroll 1
  for (uint32_t step = 0; step < work.steps; ++step) {
    wait(&shared.full[at.slot], at.parity);
    __syncwarp();  // the products are those of whole warps
    const uint32_t x = ring + at.slot * plan.slot_bytes;
    const uint32_t weight = x + (kMaxPanelRows + group * kPanelTileRows) * kPanelRowBytes;
    begin_products();
#pragma unroll
    for (uint32_t k = 0; k < kPanelRowBytes; k += 32)
      multiply_tiles(sums, describe_tile(weight + k), describe_tile(x + k));
    end_products();
    wait_for_products();
    // Every phase of a barrier is waited for: nobody asks for more into the last slots.
    if (threadIdx.x % 32 == 0 && step + plan.slots < work.steps) arrive(&shared.empty[at.slot]);
    at.advance(plan.slots);
  }
}

}  // namespace linnet::cuda
