// Panels, slabs and the attention of long prompts are made of what only compute capability 9.0 has: products
// of four warps, tensor copies, registers that move.
#pragma once

namespace linnet::cuda {

// Whether the current GPU has that, and this build the code for it.
[[nodiscard]] bool warpgroups_run_here();

}  // namespace linnet::cuda
