#include "backends/cuda/backend.h"

#include <cuda_runtime_api.h>

#include "backends/cuda/device.h"
#include "backends/cuda/kernels/kernels.h"

namespace linnet {
namespace {

constexpr int kOldest = 75;  // compute capability, ten times

std::string why_unavailable() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  if (status == cudaErrorInsufficientDriver || status == cudaErrorStubLibrary) {
    int driver = 0;
    static_cast<void>(cudaDriverGetVersion(&driver));
    if (driver == 0) return "no NVIDIA driver is installed (libcuda.so.1 was not found)";
    return concat("the NVIDIA driver is too old: it knows CUDA ", driver / 1000, '.', driver % 1000 / 10,
                  ", this build needs ", CUDART_VERSION / 1000, '.', CUDART_VERSION % 1000 / 10);
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) return "no NVIDIA GPU was found";
  if (status != cudaSuccess) return cudaGetErrorString(status);
  int major = 0;
  int minor = 0;
  static_cast<void>(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  static_cast<void>(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
  if (major * 10 + minor < kOldest)
    return concat("the GPU has compute capability ", major, '.', minor, ", this needs 7.5 or newer");
  if (!cuda::kernels_run_here())
    return concat("this build has no kernels for compute capability ", major, '.', minor,
                  ": set LINNET_CUDA_ARCHS when it is built");
  return {};
}

}  // namespace

Backend cuda_backend() {
  return {.name = "cuda",
          .description = "NVIDIA GPUs",
          .compiled_in = true,
          .automatic = true,
          .unavailable = why_unavailable,
          .open = [](const DeviceOptions& options) { return std::make_unique<cuda::CudaDevice>(options); }};
}

}  // namespace linnet
