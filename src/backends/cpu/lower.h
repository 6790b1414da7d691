// How the CPU wants each op: which fused stages it keeps, where it computes with integers, what it refuses.
#pragma once

#include "program/lower.h"

namespace linnet::cpu {

[[nodiscard]] Lowered lower_for_cpu(const Op& op, const CompileOptions& options, Recorder& into);

}  // namespace linnet::cpu
