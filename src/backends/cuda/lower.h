// Which ops the GPU keeps as they are.
#pragma once

#include "program/lower.h"

namespace linnet::cuda {

[[nodiscard]] Lowered lower_for_cuda(const Op& op, const CompileOptions& options, Recorder& into,
                                     bool cublas);

// Whether a product goes through cuBLASLt where that is there: more rows than a stage takes, and formats and
// strides that it likes.
[[nodiscard]] bool product_by_cublas(const Program& program, Value x, Value weight, Value out);

}  // namespace linnet::cuda
