// The product of four warps together, on compute capability 9.0: 64 × 64 sums of 16 products each, BF16
// numbers, sums in float, both factors in shared memory.
#pragma once

#include <cstdint>

// Code for other GPUs, of the same build, has none of this.
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define LINNET_HAS_WARPGROUPS 0
#else
#define LINNET_HAS_WARPGROUPS 1
#endif

namespace linnet::cuda {

// A tile in shared memory whose rows have 128 bytes, as a tensor copy lays them out (swizzled): eight rows
// are 1024 bytes. `address` is that of the first row, plus 32 for each 16 numbers to the right.
__device__ __forceinline__ uint64_t describe_tile(uint32_t address) {
  constexpr uint64_t kSwizzled = uint64_t{1} << 62;
  constexpr uint64_t kEightRows = uint64_t{1024 >> 4} << 32;
  constexpr uint64_t kUnused = uint64_t{1} << 16;
  return kSwizzled | kEightRows | kUnused | (address & 0x3FFFFu) >> 4;
}

// What was written to registers before is seen by the products that follow.
__device__ __forceinline__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// sums += a · bᵀ, 64 rows of each. Thread t of the 128 has of row
// 16 (t / 32) + t mod 32 / 4, and of the eighth row below it, columns 8 j + 2 (t mod 4) and the next: sums[4
// j], sums[4 j + 1]; sums[4 j + 2], sums[4 j + 3].
#define LINNET_8(i)                                                                          \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), \
      "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])

__device__ __forceinline__ void multiply_tiles(float (&sums)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, p, 1, 1, 0, 0;\n}"
      : LINNET_8(0), LINNET_8(8), LINNET_8(16), LINNET_8(24)
      : "l"(a), "l"(b));
}

#undef LINNET_8

}  // namespace linnet::cuda
