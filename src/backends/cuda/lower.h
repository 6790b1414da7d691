// Which ops the GPU keeps as they are.
#pragma once

#include "program/lower.h"

namespace linnet::cuda {

[[nodiscard]] Lowered lower_for_cuda(const Op& op, const CompileOptions& options, Recorder& into,
                                     bool cublas);

}  // namespace linnet::cuda
