// How every kernel is launched and how it begins. On compute capability 9.0 and up a kernel may start while
// the one before it still runs (programmatic dependent launch): what it does before begin() must not depend
// on it.
#pragma once

#include <utility>

#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace linnet::cuda {

struct Blocks {
  dim3 grid;
  uint32_t threads;
  size_t shared = 0;
  bool together = false;  // all blocks run at once, or none
  uint32_t cluster = 1;   // blocks that see each other's shared memory
};

template <class... Parameters, class... Arguments>
void launch_blocks(const Blocks& blocks, void (*kernel)(Parameters...), const Common& common,
                   Arguments&&... arguments) {
  if (common.load_only) {
    cudaFuncAttributes attributes{};  // some of them are known of a loaded kernel only
    static_cast<void>(cudaFuncGetAttributes(&attributes, kernel));
    return;
  }
  cudaLaunchAttribute attributes[3]{};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks.grid;
  config.blockDim = dim3(blocks.threads);
  config.dynamicSmemBytes = blocks.shared;
  config.stream = common.stream;
  config.attrs = attributes;
  if (blocks.cluster > 1) {
    attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[config.numAttrs++].val.clusterDim = {blocks.cluster, 1, 1};
  }
  if (blocks.together) {
    attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
    attributes[config.numAttrs++].val.cooperative = 1;
  }
  if (common.overlap) {
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  // A failure is found by cudaGetLastError() after the launch.
  static_cast<void>(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, uint32_t threads, size_t shared, const Common& common,
            Arguments&&... arguments) {
  launch_blocks({.grid = grid, .threads = threads, .shared = shared}, kernel, common,
                std::forward<Arguments>(arguments)...);
}

// The next kernel may be set up now; it waits in its own begin().
__device__ __forceinline__ void let_next_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Everything that ran before is done and visible after this.
__device__ __forceinline__ void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ __forceinline__ void begin(const Stamp& mark) {
  let_next_start();
  wait_for_previous();
  stamp(mark);
}

}  // namespace linnet::cuda
