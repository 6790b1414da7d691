// How a block of a slab multiplies codes of Q8_0: one thread asks for tiles of x and codes, groups of four
// warps take them.
#pragma once

#include "backends/cuda/kernels/cluster.cuh"
#include "backends/cuda/kernels/codes.cuh"
#include "backends/cuda/kernels/slab_codes_work.cuh"
#include "backends/cuda/kernels/tensor_copies.cuh"
#include "backends/cuda/kernels/warpgroup.cuh"

namespace linnet::cuda {

// By one thread.
template <StageArgs::Kind kKind, uint32_t kRows>
__device__ __forceinline__ void ask_for_codes(const CodeSlabArgs& args, const SlabPlan& plan,
                                              typename CodeSlab<kRows>::Shared& shared, uint32_t ring) {
  using Slab = CodeSlab<kRows>;
  constexpr uint16_t kBoth = (1 << kSlabCluster) - 1;
  constexpr uint32_t kHalf = kRows / kSlabCluster;
  const uint32_t rank = blockIdx.x % kSlabCluster;
  RingToFill<Slab::kSlots> fill;
#pragma unroll 1
  for (typename Slab::Tiles tiles; tiles.more(plan); tiles.advance()) {
    const uint32_t x_row = tiles.row(plan) + rank * kHalf;
    const CodeBoxes one = CodeBoxes::of<kKind>(args.stage, tiles.pair(plan, 0));
    const CodeBoxes two = CodeBoxes::of<kKind>(args.stage, tiles.pair(plan, 1));
#pragma unroll 1
    for (uint32_t step = 0; step < plan.steps; ++step) {
      const uint32_t slot = fill.next(shared.empty);
      uint64_t* full = &shared.full[slot];
      const uint32_t to = ring + slot * Slab::kSlotBytes;
      const uint32_t codes = to + Slab::kTileBytes;
      const uint32_t column = step * kCodeColumns;
      expect_bytes(full, Slab::kSlotBytes);
      copy_box_to_blocks(to + rank * (Slab::kTileBytes / kSlabCluster), args.x, column, x_row, full, kBoth);
      copy_box(codes, args.weight, column, one.first, full);
      copy_box(codes + kCodeBoxBytes, args.weight, column, one.second, full);
      copy_box(codes + 2 * kCodeBoxBytes, args.weight, column, two.first, full);
      copy_box(codes + 3 * kCodeBoxBytes, args.weight, column, two.second, full);
    }
  }
}

// What a thread has of 32 columns: two codes each, or two numbers, in the order in which the matrix units
// want 16 and then 16 columns of their left factor.
using CodeBlock = uint32_t[2][4];

// Where a thread finds codes of its two rows in a slot.
class CodePlaces {
 public:
  // The unit of its group begins at `begin` and lies as a tensor copy swizzles rows of 64 bytes: the 16 bytes
  // of row r at c · 16 are at (c ^ r / 2 mod 4) · 16. Both rows of a thread have the same r / 2 mod 4.
  __device__ __forceinline__ CodePlaces(const CodeRows& rows, uint32_t begin)
      : first_(begin + rows.first * kCodeColumns + (rows.first / 2 % 4) * 16 + 2 * (threadIdx.x % 4)),
        to_second_((rows.second - rows.first) * kCodeColumns) {}

  __device__ __forceinline__ void load(uint32_t slot, uint32_t block, CodeBlock& codes) const {
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      const uint32_t one = (slot + first_) ^ (2 * block + half) * 16;
      const uint32_t two = one + to_second_;
      codes[half][0] = load_two(one);
      codes[half][1] = load_two(two);
      codes[half][2] = load_two(one + 8);
      codes[half][3] = load_two(two + 8);
    }
  }

 private:
  [[nodiscard]] __device__ __forceinline__ static uint32_t load_two(uint32_t address) {
    uint32_t codes;
    asm volatile("ld.shared.u16 %0, [%1];" : "=r"(codes) : "r"(address) : "memory");
    return codes;
  }
  uint32_t first_;
  uint32_t to_second_;
};

__device__ __forceinline__ void unpack_codes(CodeBlock& codes) {
#pragma unroll
  for (uint32_t i = 0; i < 8; ++i) codes[i / 4][i % 4] = two_codes(codes[i / 4][i % 4], kFirstCodes);
}

// By two warps: scales of each step's two blocks, of all rows of the block. Those who multiply have no
// registers to ask for them as long before as a round trip to memory takes.
template <StageArgs::Kind kKind, uint32_t kRows>
__device__ __forceinline__ void bring_scales(const CodeSlabArgs& args, const SlabPlan& plan,
                                             typename CodeSlab<kRows>::Shared& shared, uint32_t thread) {
  using Slab = CodeSlab<kRows>;
  const Matrix& weight = args.stage.weight;
  const auto scales_of = [&](uint32_t row) {
    return reinterpret_cast<const uint2*>(weight.scales) +
           uint64_t{row} * (weight.columns / (kCodeSteps * kCodeColumns));
  };
  RingToFill<Slab::kSlots> fill;
  const auto put = [&](uint32_t first, uint32_t second) {
    const uint32_t slot = fill.next(shared.empty);
    shared.scales[slot][0][thread] = first;
    shared.scales[slot][1][thread] = second;
    arrive(&shared.full[slot]);
  };
#pragma unroll 1
  for (typename Slab::Tiles tiles; tiles.more(plan); tiles.advance()) {
    const auto row_of = [&](uint32_t group) {
      return CodeBoxes::of<kKind>(args.stage, tiles.pair(plan, group)).row(thread);
    };
    const uint2* first = scales_of(row_of(0));
    const uint2* second = scales_of(row_of(1));
    uint2 one = __ldg(first);
    uint2 two = __ldg(second);
#pragma unroll 1
    for (uint32_t step = 0; step < plan.steps; step += kCodeSteps) {
      const uint2 one_now = one;
      const uint2 two_now = two;
      if (step + kCodeSteps < plan.steps) {
        one = __ldg(++first);
        two = __ldg(++second);
      }
      put(one_now.x, two_now.x);
      put(one_now.y, two_now.y);
    }
  }
}

// The sums of a block of 32 columns; wait_for_products() ends them.
template <uint32_t kSums>
__device__ __forceinline__ void multiply_block(float (&part)[kSums], const CodeBlock& codes, uint64_t x) {
  begin_products();
  multiply_registers<false>(part, codes[0], x);
  multiply_registers<true>(part, codes[1], to_the_right(x, 1));
  end_products();
}

// Of two scales in a word for each of a thread's rows.
template <uint32_t kSums>
__device__ __forceinline__ void add_scaled(float (&sums)[kSums], const float (&part)[kSums], uint2 scales,
                                           uint32_t block) {
  const float first = scale_of_block(scales.x, block);
  const float second = scale_of_block(scales.y, block);
#pragma unroll
  for (uint32_t i = 0; i < kSums; ++i) sums[i] = fmaf(part[i], i % 4 < 2 ? first : second, sums[i]);
}

// By the warps that multiply: one tile. `left`: slots that are still to come, those of this tile too. While
// the products of a step's second block are on their way, the first is scaled and the next one unpacked; the
// other group's products go on all the time.
template <uint32_t kRows>
__device__ __forceinline__ void multiply_codes(const SlabPlan& plan, typename CodeSlab<kRows>::Shared& shared,
                                               uint32_t ring, const CodeRows& rows, TileRing& at,
                                               uint32_t& left, float (&sums)[CodeSlab<kRows>::kSums]) {
  using Slab = CodeSlab<kRows>;
  const uint32_t group = threadIdx.x / 128;
  const CodePlaces places(rows, Slab::kTileBytes + group * kCodeUnitBytes);
  float first[Slab::kSums];
  float second[Slab::kSums];
  CodeBlock first_codes;
  CodeBlock second_codes;
  const auto wait_for_slot = [&] {
    wait(&shared.full[at.slot], at.parity);
    __syncwarp();  // the products are those of whole warps
    return ring + at.slot * Slab::kSlotBytes;
  };
#pragma unroll
  for (float& sum : sums) sum = 0;
  uint32_t memory = wait_for_slot();
  places.load(memory, 0, first_codes);
  places.load(memory, 1, second_codes);
  unpack_codes(first_codes);
  unpack_codes(second_codes);
#pragma unroll 1
  for (uint32_t step = 0; step < plan.steps; ++step) {
    const uint32_t slot = at.slot;
    const uint64_t x = describe_tile(memory);
    multiply_block(first, first_codes, x);
    multiply_block(second, second_codes, to_the_right(x, 2));
    const uint32_t* scales = shared.scales[slot][group];
    const uint2 both = make_uint2(scales[rows.first], scales[rows.second]);
    at.advance(Slab::kSlots);
    if (step + 1 < plan.steps) memory = wait_for_slot();  // else this one's codes are unpacked again, in vain
    wait_for_products<1>(first);
    places.load(memory, 0, first_codes);
    add_scaled(sums, first, both, 0);
    unpack_codes(first_codes);
    wait_for_products<0>(second);
    places.load(memory, 1, second_codes);
    // Every phase of a barrier is waited for: nobody asks for more into the last slots.
    if (left > Slab::kSlots) give_back(&shared.empty[slot]);
    --left;
    add_scaled(sums, second, both, 1);
    unpack_codes(second_codes);
  }
}

}  // namespace linnet::cuda
