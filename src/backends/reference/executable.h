// A program lowered to primitives, with a plan for its float64 scratch.
#pragma once

#include "backends/reference/device.h"

namespace linnet::reference {

// Fused ops are expanded, the rest is kept.
[[nodiscard]] Lowered lower_op(const Op& op);
// Scratch in a number format is kept as float64, the rest (codes, tables) in its own format.
[[nodiscard]] bool kept_as_doubles(const ValueInfo& value) noexcept;

class ReferenceExecutable : public Executable {
 public:
  ReferenceExecutable(const Program& program, const CompileOptions& options, std::shared_ptr<Shared> shared);

  [[nodiscard]] std::unique_ptr<Launch> bind(std::span<const Binding> bindings, Buffer& scratch) override;
  [[nodiscard]] const Program& program() const noexcept override { return program_; }
  [[nodiscard]] const Plan& plan() const noexcept override { return plan_; }

 private:
  Program program_;
  Plan plan_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace linnet::reference
