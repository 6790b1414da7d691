// Errors of the CUDA runtime as Error. The first is sticky where CUDA says so; the process lives on.
#pragma once

#include <cuda_runtime_api.h>

#include "base/error.h"

namespace linnet::cuda {

// Throws Error(failure), or Error(does_not_fit) for memory that is not there, naming what was tried.
void check(cudaError_t status, const char* what);
[[nodiscard]] Error error_of(cudaError_t status, const char* what);

}  // namespace linnet::cuda
