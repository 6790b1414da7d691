// Which stages of a decoder layer go to kernels/slab.cu and kernels/slab_codes.cu, and how they are bound.
#pragma once

#include "backends/cuda/bind.h"

namespace linnet::cuda {

[[nodiscard]] bool slab_fits(const LinearAdd& op, const Program& program, const Hardware& hardware);
// `input` is what x becomes before the product.
[[nodiscard]] bool slab_fits(const NormGatedLinear& op, Format input, const Program& program,
                             const Hardware& hardware);
[[nodiscard]] bool slab_fits(const NormQkvRopeStore& op, Format input, const Program& program,
                             const Hardware& hardware);

// Whether those of a weight multiply codes: whatever the rows of a run, nothing else is as fast.
[[nodiscard]] bool slabs_of_codes(Value weight, const Program& program);

[[nodiscard]] LaunchStage bind_slab(const LinearAdd& op, const StageArgs& stage, Binder& binder);
[[nodiscard]] LaunchStage bind_slab(const NormGatedLinear& op, const StageArgs& stage, Binder& binder);
[[nodiscard]] LaunchStage bind_slab(const NormQkvRopeStore& op, const StageArgs& stage, Binder& binder);

}  // namespace linnet::cuda
