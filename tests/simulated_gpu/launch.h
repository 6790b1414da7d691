// How kernels that were compiled for a processor reach the simulated runtime.
#pragma once

#include <cuda_runtime_api.h>

#include "simulated_gpu/block.h"

namespace linnet::simulated {

inline constexpr size_t kMostDynamicShared = size_t{227} << 10;

[[nodiscard]] cudaError_t attributes_of_kernel(cudaFuncAttributes& attributes);
// Seen from the simulated cuBLASLt, too, which is a library of its own.
[[nodiscard, gnu::visibility("default")]] cudaError_t launch(cudaStream_t stream, Kernel kernel);

}  // namespace linnet::simulated
