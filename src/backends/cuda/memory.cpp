#include "backends/cuda/memory.h"

#include <algorithm>

#include "backends/cuda/check.h"

namespace linnet::cuda {

void FreeDevice::operator()(std::byte* memory) const noexcept {
  static_cast<void>(cudaFree(memory));
}

void FreePinned::operator()(std::byte* memory) const noexcept {
  static_cast<void>(cudaFreeHost(memory));
}

DeviceMemory allocate_device(size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, std::max<size_t>(bytes, 1)), "allocating memory of the GPU");
  return DeviceMemory(static_cast<std::byte*>(memory));
}

PinnedMemory allocate_pinned(size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped), "allocating pinned memory");
  return PinnedMemory(static_cast<std::byte*>(memory));
}

DeviceMemory allocate_zeroed(size_t bytes) {
  DeviceMemory memory = allocate_device(bytes);
  check(cudaMemset(memory.get(), 0, std::max<size_t>(bytes, 1)), "clearing memory");
  check(cudaStreamSynchronize(cudaStreamLegacy), "clearing memory");
  return memory;
}

void upload(std::byte* to, std::span<const std::byte> from) {
  check(cudaMemcpy(to, from.data(), from.size(), cudaMemcpyHostToDevice), "uploading");
  check(cudaStreamSynchronize(cudaStreamLegacy), "uploading");
}

CudaBuffer::CudaBuffer(size_t bytes) : bytes_(bytes), memory_(allocate_zeroed(bytes)) {}

void CudaBuffer::check_range(size_t offset, size_t bytes) const {
  if (offset <= bytes_ && bytes <= bytes_ - offset) return;
  fail(ErrorKind::failure, "[cuda] ", bytes, " bytes at ", offset, " do not lie in a buffer of ", bytes_);
}

}  // namespace linnet::cuda
