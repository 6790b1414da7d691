// A weight on the GPU: uploaded once, in chunks through pinned memory, in the layout that operands.h states.
#pragma once

#include <span>

#include "backends/cuda/memory.h"
#include "backends/cuda/operands.h"
#include "backends/cuda/queue.h"
#include "device/byte_source.h"
#include "program/weight_spec.h"

namespace linnet::cuda {

class CudaWeight : public Buffer {
 public:
  CudaWeight(const WeightSpec& spec, const ByteSource& source, Queue& queue);

  [[nodiscard]] size_t bytes() const noexcept override { return bytes_; }
  [[nodiscard]] const Matrix& matrix() const noexcept { return matrix_; }
  // All values, row after row. Waits for the stream.
  void decode(std::span<float> into, Queue& queue) const;

 private:
  void upload(const WeightSpec& spec, const ByteSource& source, Queue& queue);

  Matrix matrix_;
  size_t bytes_;
  DeviceMemory memory_;
};

// Bytes that a weight takes here.
[[nodiscard]] size_t resident_bytes(Format format, size_t elements);

}  // namespace linnet::cuda
