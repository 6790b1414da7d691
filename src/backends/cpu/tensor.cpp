#include "backends/cpu/tensor.h"

namespace linnet::cpu {

uint64_t Tensor::bytes(size_t n) const {
  return data == nullptr ? 0 : n * bytes_of(format, columns);
}

Tensor Binder::tensor(Value value) const {
  if (!value) return {};
  const ValueInfo& info = program_.info(value);
  const Value base = program_.base(value);
  const size_t element = traits(info.format).block_elements == 1 ? traits(info.format).block_bytes : 0;
  Tensor tensor{.data = nullptr,
                .format = info.format,
                .rows = info.shape.rows(),
                .columns = info.shape.columns(),
                .row_bytes = bytes_of(info.format, program_.row_stride(value)),
                .last = info.shape.back().fixed() ? info.shape.back().max : 1};
  if (plan_.offset[base.id] != Plan::kNowhere) {
    tensor.data = arena_ + plan_.offset[base.id];
  } else if (auto* host = dynamic_cast<HostBuffer*>(buffers_[base.id])) {
    tensor.data = host->data();
  } else {
    // A weight that is used like an activation (rope frequencies, a gathered table of one part).
    const CpuWeight& rows = weight(base);
    if (rows.layout() != Layout::rows) fail(ErrorKind::failure, "[bind] '", info.name, "' lies in panels");
    tensor.data = const_cast<std::byte*>(rows.row(0));
  }
  tensor.data += info.view.offset * element;
  return tensor;
}

const CpuWeight& Binder::weight(Value value) const {
  const auto* weight = dynamic_cast<const CpuWeight*>(buffers_[value.id]);
  if (weight == nullptr) fail(ErrorKind::failure, "[bind] '", program_.info(value).name, "' is not a weight");
  return *weight;
}

const float* Binder::vector(Value value) const {
  return value ? tensor(value).floats() : nullptr;
}

}  // namespace linnet::cpu
