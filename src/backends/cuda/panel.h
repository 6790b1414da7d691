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

[[nodiscard]] LaunchStage bind_panel(const LinearAdd& op, const StageArgs& stage, Binder& binder);
[[nodiscard]] LaunchStage bind_panel(const NormGatedLinear& op, const StageArgs& stage, Binder& binder);
[[nodiscard]] LaunchStage bind_panel(const NormQkvRopeStore& op, const StageArgs& stage, Binder& binder);

}  // namespace linnet::cuda
