// How a block of a panel multiplies weights in Q8_0: codes become BF16 numbers, which all of them are, and
// the sums of each block of 32 are scaled in float.
#pragma once

#include "backends/cuda/kernels/codes.cuh"
#include "backends/cuda/kernels/panel_product.cuh"

namespace linnet::cuda {

// A lane's 32 codes of a warp's 16 rows, which become half of a row of the tile.
__device__ __forceinline__ void unpack_codes(const std::byte* codes, std::byte* tile) {
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t row = threadIdx.x % 128 / 2;
  const auto* from = reinterpret_cast<const uint4*>(codes + lane * 32);
  auto* to = reinterpret_cast<uint4*>(tile + row * kPanelRowBytes);
#pragma unroll
  for (uint32_t i = 0; i < 4; ++i) {
    const uint4 sixteen = from[i / 2];
    const uint32_t low = i % 2 == 0 ? sixteen.x : sixteen.z;
    const uint32_t high = i % 2 == 0 ? sixteen.y : sixteen.w;
    to[(4 * (lane % 2) + i) ^ row % 8] =
        make_uint4(two_codes(low, kFirstCodes), two_codes(low, kLastCodes), two_codes(high, kFirstCodes),
                   two_codes(high, kLastCodes));
  }
}

// Scales of the two blocks of a step, for the two rows of a thread.
class PanelScales {
 public:
  __device__ __forceinline__ PanelScales(const PanelWork& work, const PanelShared& shared)
      : work_(work), in_row_(shared.stage.weight.columns / kPanelColumns) {
    const uint32_t box = threadIdx.x / 32;
    const uint32_t row = box < 2 * work.units ? shared.boxes[box] + threadIdx.x % 32 / 4 : 0;
    first_ = reinterpret_cast<const uint32_t*>(shared.stage.weight.scales) + uint64_t{row} * in_row_;
  }
  [[nodiscard]] __device__ __forceinline__ uint2 of(uint32_t step) const {
    const uint32_t* both = first_ + work_.column(step) / kPanelColumns;
    return make_uint2(__ldg(both), __ldg(both + 8 * in_row_));
  }

 private:
  const PanelWork& work_;
  const uint32_t* first_;
  uint32_t in_row_;
};

// The four warps that multiply together.
__device__ __forceinline__ void meet_group() {
  static_assert(kPanelGroups == 2);
  __syncwarp();
  if (threadIdx.x < 128) {
    asm volatile("bar.sync 2, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 3, 128;" ::: "memory");
  }
}

// By the warps that multiply, as multiply_steps() for BF16.
__device__ __forceinline__ void multiply_codes(const PanelPlan& plan, const PanelWork& work,
                                               PanelShared& shared, std::byte* memory,
                                               float (&sums)[kPanelSums]) {
  constexpr uint32_t kBlockBytes = 64;  // of 32 numbers
  const uint32_t box = threadIdx.x / 32;
  std::byte* tile = memory + plan.tiles_at + threadIdx.x / 128 * kPanelTileBytes;
  const PanelScales scales(work, shared);
  uint2 next = scales.of(0);
  TileRing at;
#pragma unroll 1
  for (uint32_t step = 0; step < work.steps; ++step) {
    const uint2 both = next;
    if (step + 1 < work.steps) next = scales.of(step + 1);
    wait(&shared.full[at.slot], at.parity);
    const std::byte* slot = memory + at.slot * plan.slot_bytes;
    if (box < 2 * work.units)
      unpack_codes(slot + kMaxPanelRows * kPanelRowBytes + box * kPanelBox * panel_row_bytes(true), tile);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    meet_group();
#pragma unroll
    for (uint32_t block = 0; block < 2; ++block) {
      const uint64_t a = describe_tile(shared_address(tile) + block * kBlockBytes);
      const uint64_t b = describe_tile(shared_address(slot) + block * kBlockBytes);
      float part[kPanelSums];
      begin_products();
      multiply_tiles<false>(part, a, b);
      multiply_tiles<true>(part, to_the_right(a, 1), to_the_right(b, 1));
      end_products();
      wait_for_products();
      const float first = scale_of_block(both.x, block);
      const float eighth = scale_of_block(both.y, block);
#pragma unroll
      for (uint32_t i = 0; i < kPanelSums; ++i) sums[i] = fmaf(part[i], i % 4 < 2 ? first : eighth, sums[i]);
    }
    // Every phase of a barrier is waited for: nobody asks for more into the last slots.
    if (threadIdx.x % 32 == 0 && step + plan.slots < work.steps) arrive(&shared.empty[at.slot]);
    meet_group();  // the tile may be written again
    at.advance(plan.slots);
  }
}

}  // namespace linnet::cuda
