// Which ops the GPU keeps as they are.
#pragma once

#include "backends/cuda/hardware.h"
#include "program/lower.h"

namespace linnet::cuda {

[[nodiscard]] Lowered lower_for_cuda(const Op& op, const CompileOptions& options, Recorder& into,
                                     const Hardware& hardware);

}  // namespace linnet::cuda
