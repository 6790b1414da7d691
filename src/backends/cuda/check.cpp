#include "backends/cuda/check.h"

namespace linnet::cuda {

Error error_of(cudaError_t status, const char* what) {
  const ErrorKind kind = status == cudaErrorMemoryAllocation ? ErrorKind::does_not_fit : ErrorKind::failure;
  return {kind, concat("[cuda] ", what, ": ", cudaGetErrorString(status))};
}

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // an error that is not sticky must not reach the next call
  throw error_of(status, what);
}

}  // namespace linnet::cuda
