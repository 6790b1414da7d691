#include "backends/compiled_in.h"

#include "backends/cpu/backend.h"
#include "backends/reference/backend.h"
#if LINNET_WITH_CUDA
#include "backends/cuda/backend.h"
#endif

namespace linnet {
namespace {

// A backend that Linnet will have: named here so that asking for it gives a reason and not a riddle.
Backend not_yet(std::string name, std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .compiled_in = false,
          .automatic = false,
          .unavailable = [] { return std::string("this version of Linnet does not have this backend yet"); },
          .open = {}};
}

Backend cuda_or_why_not() {
#if LINNET_WITH_CUDA
  return cuda_backend();
#else
  Backend absent = not_yet("cuda", "NVIDIA GPUs");
  absent.unavailable = [] { return std::string("this build was made without CUDA (no nvcc was found)"); };
  return absent;
#endif
}

}  // namespace

Registry compiled_in_backends() {
  return {
      cuda_or_why_not(),
      not_yet("rocm", "AMD GPUs"),
      not_yet("metal", "Apple GPUs"),
      not_yet("opencl", "GPUs and CPUs with an OpenCL driver"),
      not_yet("webgpu", "GPUs through WebGPU, in a browser"),
      cpu_backend(),
      reference_backend(),
  };
}

}  // namespace linnet
