#include "simulated_gpu/block.h"

#include <algorithm>

namespace linnet::simulated {
namespace {

[[nodiscard]] bool run_block(const Kernel& kernel, Block& block) {
  const uint32_t threads = kernel.block.x;
  for (Warp& warp : block.warps) warp.meeting = {};
  block.barriers = {};
  if (kernel.shared > 0) std::memset(kernel.dynamic_shared, kUnwritten, kernel.shared);
  for (uint32_t i = 0; i < threads; ++i) {
    block.threads[i].lane = i % 32;
    block.threads[i].warp = &block.warps[i / 32];
    block.threads[i].copies.clear();
  }
  return Fibers::here().run(
      threads, [&](size_t) { kernel.body(); },
      [&](size_t i) {
        here = {&block, &block.threads[i]};
        threadIdx = {static_cast<uint32_t>(i), 0, 0};
      });
}

}  // namespace

bool run(const Kernel& kernel) {
  static thread_local Block block;  // allocates only for the largest
  gridDim = kernel.grid;
  blockDim = kernel.block;
  block.dynamic_shared = kernel.dynamic_shared;
  block.threads.resize(std::max<size_t>(block.threads.size(), kernel.block.x));
  block.warps.resize(std::max<size_t>(block.warps.size(), (kernel.block.x + 31) / 32));
  for (uint32_t z = 0; z < kernel.grid.z; ++z) {
    for (uint32_t y = 0; y < kernel.grid.y; ++y) {
      for (uint32_t x = 0; x < kernel.grid.x; ++x) {
        blockIdx = {x, y, z};
        if (!run_block(kernel, block)) return false;
      }
    }
  }
  return true;
}

}  // namespace linnet::simulated
