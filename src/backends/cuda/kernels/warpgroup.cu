#include "backends/cuda/kernels/warpgroup.h"

#include <cuda_runtime_api.h>

namespace linnet::cuda {
namespace {

// Compiled as all of them are.
__global__ void empty_kernel() {}

}  // namespace

bool warpgroups_run_here() {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, empty_kernel);
  static_cast<void>(cudaGetLastError());
  return status == cudaSuccess && attributes.binaryVersion == 90 && attributes.ptxVersion == 90;
}

}  // namespace linnet::cuda
