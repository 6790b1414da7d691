// The plan of a lowered program: where scratch lies, and which earlier steps each step must wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "program/program.h"

namespace linnet {

struct Step {
  Op op;
  std::vector<uint32_t>
      after;             // earlier steps that must have finished; what follows through others is left out
  size_t workspace = 0;  // bytes of scratch that only this step's kernel uses
  size_t workspace_offset = 0;  // where they lie in the arena
};

struct Plan {
  static constexpr size_t kAlignment = 64;  // of everything in the arena
  static constexpr size_t kNowhere = ~size_t{0};

  std::vector<Step> steps;
  std::vector<size_t> offset;  // per value: place in the arena, or kNowhere if it is not scratch
  size_t scratch_bytes = 0;    // size of the arena
  size_t peak_live_bytes =
      0;  // most bytes that are live in one step, workspace included: no plan can do with less
};

struct PlanOptions {
  bool reuse_scratch = true;  // off: no two values share memory
};

using WorkspaceOf = std::function<size_t(const Op& op)>;

[[nodiscard]] Plan make_plan(const Program& program, const WorkspaceOf& workspace,
                             const PlanOptions& options = {});

}  // namespace linnet
