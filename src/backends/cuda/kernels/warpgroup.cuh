// The product of four warps together, on compute capability 9.0: 64 rows times 64 to 256 columns of sums, 16
// products each, BF16 numbers, sums in float; the right factor in shared memory, the left one too or in
// registers.
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

// The same tile from 16 numbers further right on, so many times.
__device__ __forceinline__ uint64_t to_the_right(uint64_t tile, uint32_t times) {
  return tile + times * (32 >> 4);
}

// What was written to registers before is seen by the products that follow.
__device__ __forceinline__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// All but those that ended last, so many times.
template <uint32_t kLast = 0>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLast) : "memory");
}

// The same, and says that `sums` are of those that have ended: the compiler knows nothing of such waits, and
// may read a sum before one.
template <uint32_t kLast, uint32_t kSums>
__device__ __forceinline__ void wait_for_products(float (&sums)[kSums]) {
  wait_for_products<kLast>();
#pragma unroll
  for (float& sum : sums) asm volatile("" : "+f"(sum)::"memory");
}

// Sums as operands, and their names.
#define LINNET_8(i)                                                                          \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), \
      "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define LINNET_32(i) LINNET_8(i), LINNET_8(i + 8), LINNET_8(i + 16), LINNET_8(i + 24)
#define LINNET_NAMES_32                                                    \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define LINNET_NAMES_48 \
  LINNET_NAMES_32       \
  ", "                  \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define LINNET_NAMES_64 \
  LINNET_NAMES_48       \
  ", "                  \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define LINNET_NAMES_128                                                                         \
  LINNET_NAMES_64                                                                                \
  ", "                                                                                           \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// sums += a · bᵀ, 64 rows of each; without kAdd sums are written. Thread t of the 128 has of row
// 16 (t / 32) + t mod 32 / 4, and of the eighth row below it, columns 8 j + 2 (t mod 4) and the next: sums[4
// j], sums[4 j + 1]; sums[4 j + 2], sums[4 j + 3].
template <bool kAdd = true>
__device__ __forceinline__ void multiply_tiles(float (&sums)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" LINNET_NAMES_32
      "}, %32, %33, p, 1, 1, 0, 0;\n}"
      : LINNET_32(0)
      : "l"(a), "l"(b), "n"(kAdd ? 1 : 0));
}

// The same with 256 rows of b; without `add` sums are written.
__device__ __forceinline__ void multiply_broad_tiles(float (&sums)[128], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" LINNET_NAMES_128
      "}, %128, %129, p, 1, 1, 0, 0;\n}"
      : LINNET_32(0), LINNET_32(32), LINNET_32(64), LINNET_32(96)
      : "l"(a), "l"(b), "r"(static_cast<uint32_t>(add)));
}

// The same with 64 rows and 16 columns of a in registers, of a warp as mma.m16n8k16 has them. b is a tile of
// 64 rows, or, where it is transposed, of 16 rows and 64 columns.
template <bool kTransposed>
__device__ __forceinline__ void multiply_registers(float (&sums)[32], const uint32_t (&a)[4], uint64_t b,
                                                   bool add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" LINNET_NAMES_32
      "}, {%32, %33, %34, %35}, %36, p, 1, 1, %38;\n}"
      : LINNET_32(0)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<uint32_t>(add)),
        "n"(kTransposed ? 1 : 0));
}

// And with 64, 96 or 128 rows of b that are not transposed; without kAdd sums are written.
template <bool kAdd>
__device__ __forceinline__ void multiply_registers(float (&sums)[32], const uint32_t (&a)[4], uint64_t b) {
  multiply_registers<false>(sums, a, b, kAdd);
}
template <bool kAdd>
__device__ __forceinline__ void multiply_registers(float (&sums)[48], const uint32_t (&a)[4], uint64_t b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %53, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n96k16.f32.bf16.bf16 {" LINNET_NAMES_48
      "}, {%48, %49, %50, %51}, %52, p, 1, 1, 0;\n}"
      : LINNET_32(0), LINNET_8(32), LINNET_8(40)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(kAdd ? 1 : 0));
}
template <bool kAdd>
__device__ __forceinline__ void multiply_registers(float (&sums)[64], const uint32_t (&a)[4], uint64_t b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" LINNET_NAMES_64
      "}, {%64, %65, %66, %67}, %68, p, 1, 1, 0;\n}"
      : LINNET_32(0), LINNET_32(32)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(kAdd ? 1 : 0));
}

#undef LINNET_NAMES_128
#undef LINNET_NAMES_64
#undef LINNET_NAMES_48
#undef LINNET_NAMES_32
#undef LINNET_32
#undef LINNET_8

}  // namespace linnet::cuda
