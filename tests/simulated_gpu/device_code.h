// What a file of kernels finds when it is compiled for a processor: the words and built-in functions of CUDA
// C++, and launches that reach the simulated runtime. Included before everything else of such a file.
#pragma once

#include <cuda_runtime_api.h>
#include <vector_functions.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "simulated_gpu/block.h"
#include "simulated_gpu/launch.h"

#undef __shared__
#undef __launch_bounds__
#undef __grid_constant__
// A block runs on one thread of the processor, and blocks one after another.
#define __shared__ thread_local
#define __launch_bounds__(...)
#define __grid_constant__

using linnet::simulated::blockDim;
using linnet::simulated::blockIdx;
using linnet::simulated::gridDim;
using linnet::simulated::threadIdx;
using std::isfinite;
using std::isnan;
using std::max;
using std::min;

// Memory that a launch asks for, of the type by which the file's kernels call it (extern __shared__): the
// most that a block of compute capability 8.0 or 9.0 may have.
#ifndef LINNET_DYNAMIC_SHARED
#define LINNET_DYNAMIC_SHARED std::byte
#endif
namespace linnet::cuda {
namespace {
alignas(1024) thread_local LINNET_DYNAMIC_SHARED
    memory[simulated::kMostDynamicShared / sizeof(LINNET_DYNAMIC_SHARED)];
}
}  // namespace linnet::cuda

// Addresses of shared memory are 32 bits: here, offsets in what the launch asked for.
inline size_t __cvta_generic_to_shared(const void* pointer) {
  return static_cast<size_t>(static_cast<const std::byte*>(pointer) -
                             linnet::simulated::here.block->dynamic_shared);
}

template <class... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*)(Parameters...)) {
  return linnet::simulated::attributes_of_kernel(*attributes);
}
template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*)(Parameters...), cudaFuncAttribute, int) {
  return cudaSuccess;
}

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  return linnet::simulated::launch(
      config->stream, {.grid = config->gridDim,
                       .block = config->blockDim,
                       .shared = config->dynamicSmemBytes,
                       .dynamic_shared = reinterpret_cast<std::byte*>(linnet::cuda::memory),
                       .body = [kernel, ... values = Parameters(arguments)] { kernel(values...); }});
}

// Threads and warps.

inline void __syncthreads() {
  linnet::simulated::meet_at(0, blockDim.x);
}
inline int __syncthreads_or(int mine) {
  return linnet::simulated::any_at(0, blockDim.x, mine != 0);
}
inline void __syncwarp(unsigned = ~0u) {
  linnet::simulated::meet(linnet::simulated::here.thread->warp->meeting, 32);
}
inline void __threadfence() {}

// Kernels let all lanes take part; anything else is not simulated.
inline void only_whole_warps(unsigned mask) {
  if (mask != ~0u) std::abort();
}
template <class T>
T __shfl_sync(unsigned mask, T mine, int lane) {
  only_whole_warps(mask);
  return linnet::simulated::exchange(mine)[static_cast<uint32_t>(lane) % 32];
}
template <class T>
T __shfl_xor_sync(unsigned mask, T mine, int bits) {
  only_whole_warps(mask);
  const uint32_t lane = linnet::simulated::here.thread->lane;
  return linnet::simulated::exchange(mine)[lane ^ static_cast<uint32_t>(bits)];
}
template <class T>
T __shfl_up_sync(unsigned mask, T mine, unsigned by) {
  only_whole_warps(mask);
  const uint32_t lane = linnet::simulated::here.thread->lane;
  const auto all = linnet::simulated::exchange(mine);
  return lane < by ? mine : all[lane - by];
}
inline unsigned __ballot_sync(unsigned mask, bool mine) {
  only_whole_warps(mask);
  const auto all = linnet::simulated::exchange(mine);
  unsigned votes = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) votes |= unsigned{all[lane]} << lane;
  return votes;
}
inline bool __any_sync(unsigned mask, bool mine) {
  return __ballot_sync(mask, mine) != 0;
}
inline bool __all_sync(unsigned mask, bool mine) {
  return __ballot_sync(mask, mine) == ~0u;
}

// Memory.

template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
T __ldcs(const T* from) {
  return *from;
}
template <class T>
T __ldcg(const T* from) {
  return *from;
}
template <class T>
T atomicAdd(T* at, T by) {
  const T before = *at;
  *at = static_cast<T>(before + by);
  return before;
}
template <class T>
T atomicMin(T* at, T other) {
  const T before = *at;
  *at = std::min(before, other);
  return before;
}
template <class T>
T atomicCAS_system(T* at, T expected, T other) {
  const T before = *at;
  if (before == expected) *at = other;
  return before;
}

// Numbers.

inline float __uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}
inline float __int_as_float(int bits) {
  return std::bit_cast<float>(bits);
}
inline unsigned __float_as_uint(float number) {
  return std::bit_cast<unsigned>(number);
}
inline int __float2int_rn(float number) {
  return static_cast<int>(std::nearbyint(number));
}
inline unsigned __float2uint_rz(float number) {
  return number <= 0 ? 0u : number >= 0x1p32f ? ~0u : static_cast<unsigned>(number);
}
inline unsigned long long __double2ull_rn(double number) {
  return static_cast<unsigned long long>(std::nearbyint(number));
}
inline float __fdiv_rn(float a, float b) {
  return a / b;
}
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline int __ffs(unsigned bits) {
  return bits == 0 ? 0 : std::countr_zero(bits) + 1;
}
inline int __popc(unsigned bits) {
  return std::popcount(bits);
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const uint64_t bytes = uint64_t{y} << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xFF) << 8 * i;
  return result;
}
// sin(πx) and cos(πx): what is a multiple of 2 goes first, so that no digits are lost.
inline void sincospi(double x, double* sine, double* cosine) {
  constexpr double kPi = 3.14159265358979323846;
  const double rest = std::remainder(x, 2.0);
  *sine = std::sin(kPi * rest);
  *cosine = std::cos(kPi * rest);
}
