// Runs one recorded program on two devices and compares value by value, in the order of the ops: the first op
// whose result differs by more than a threshold is where to look.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/program_inputs.h"
#include "device/device.h"

namespace linnet {

struct ValueDifference {
  size_t op_index = 0;  // in the recorded program
  std::string op;
  std::string operand;
  std::string value;    // its name, or %id
  double relative = 0;  // ‖a − b‖ / ‖b‖; infinite if either is not a number where the other is
  double largest = 0;   // |a − b|
  double largest_magnitude = 0;  // |b|
};

struct BisectReport {
  std::vector<ValueDifference> values;
  std::optional<size_t> first_over;  // in `values`
};

struct BisectSide {
  Device& device;
  CompileOptions options;  // reuse_scratch is switched off
};

// `b` is what `a` is measured against. Values that either device has lowered away are left out.
[[nodiscard]] BisectReport bisect(const Program& program, const BisectSide& a, const BisectSide& b,
                                  const ProgramInputs& inputs, std::span<const uint32_t> extents,
                                  double threshold);

}  // namespace linnet
