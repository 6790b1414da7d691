// Products of many rows on the matrix units, through cuBLASLt: a weight of x's own format where it lies, any
// other unpacked tile by tile into workspace (unpacking.h), so that one copy of it is resident.
#pragma once

#include "backends/cuda/bind.h"

namespace linnet::cuda {

struct ManyRows {
  Value x, weight, bias, residual, out;  // bias and residual may be absent
};

// Whether a product goes this way where cuBLASLt is there: more rows than a stage takes, and formats and
// strides that it likes.
[[nodiscard]] bool product_by_cublas(const Program& program, Value x, Value weight, Value out);
// For one that does.
[[nodiscard]] size_t product_workspace(const Program& program, Value x, Value weight);
[[nodiscard]] Enqueue bind_product(const ManyRows& op, Binder& binder);

}  // namespace linnet::cuda
