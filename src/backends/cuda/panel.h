// Which stages of a decoder layer go to kernels/panel.cu, and how they are bound. A norm belongs to the stage
// before it and to that after it, where both are panels; else it is a kernel of its own into workspace.
#pragma once

#include "backends/cuda/bind.h"

namespace linnet::cuda {

[[nodiscard]] bool panel_fits(const LinearAdd& op, const Program& program, const Hardware& hardware);
// `input` is what x becomes before the product.
[[nodiscard]] bool panel_fits(const NormGatedLinear& op, Format input, const Program& program,
                              const Hardware& hardware);
[[nodiscard]] bool panel_fits(const NormQkvRopeStore& op, Format input, const Program& program,
                              const Hardware& hardware);
// Of a norm's result, for a panel of `op`.
template <class T>
[[nodiscard]] size_t panel_workspace(const T& op, const Program& program) {
  return size_t{program.shape(op.x).rows().max} * bytes_of(Format::bf16, program.shape(op.weight)[1].max);
}

// Enqueues a stage whose counts are set.
using LaunchStage = std::function<bool(const StageArgs& stage, const Common& common)>;
[[nodiscard]] LaunchStage bind_panel(const LinearAdd& op, const StageArgs& stage, Binder& binder);
[[nodiscard]] LaunchStage bind_panel(const NormGatedLinear& op, const StageArgs& stage, Binder& binder);
[[nodiscard]] LaunchStage bind_panel(const NormQkvRopeStore& op, const StageArgs& stage, Binder& binder);

}  // namespace linnet::cuda
