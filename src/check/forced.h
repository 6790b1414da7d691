// Teacher-forced comparison of a whole program: every op that a device ran is evaluated by the reference on
// the device's own operands, so that errors do not add up and each op is held to its own tolerance.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/compare.h"
#include "check/program_inputs.h"
#include "device/device.h"

namespace linnet {

// A program that has just run on a device, compiled without reuse_scratch.
struct DeviceRun {
  Device& device;
  const Program& program;  // lowered: what really ran
  CompileOptions options;  // with which it was
  Launch& launch;
  std::vector<uint32_t> extents;
  // Plain bytes of a state, input or output (never a view): before the run, and after it.
  std::function<std::vector<std::byte>(Value)> before;
  std::function<std::vector<std::byte>(Value)> after;
};

struct ForcedOp {
  size_t index = 0;  // in the lowered program
  std::string op;
  Worst worst;
  std::string note;  // what could not be compared, and why
};

struct ForcedReport {
  std::vector<ForcedOp> ops;
  // The first op that lies outside its tolerance; null if none does.
  [[nodiscard]] const ForcedOp* first_failure() const noexcept;
  // The op nearest to its tolerance or furthest outside; null for an empty program.
  [[nodiscard]] const ForcedOp* worst() const noexcept;
};

// `inputs` is asked for weights only, by the values of the recorded program.
[[nodiscard]] ForcedReport compare_forced(const DeviceRun& run, Device& reference,
                                          const ProgramInputs& inputs);

// Compiles, loads, fills, runs once and compares.
[[nodiscard]] ForcedReport compare_forced(Device& device, Device& reference, const Program& program,
                                          const CompileOptions& options, const ProgramInputs& inputs,
                                          std::span<const uint32_t> extents);

}  // namespace linnet
