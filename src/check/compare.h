// Compares what a device computes with what the reference computes, element by element.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/case.h"
#include "check/run_case.h"
#include "device/device.h"

namespace linnet {

// The element that lies furthest outside or nearest to its tolerance.
struct Worst {
  std::string operand;
  size_t index = 0;
  double expected = 0;
  double got = 0;
  double tolerance = 0;
  double ratio = 0;  // |got − expected| / tolerance; ≤ 1 passes, infinite where something exact differs
};
std::ostream& operator<<(std::ostream& out, const Worst& worst);

// What the reference computes for a program, and how far a device may be from it.
struct Expected {
  std::map<uint32_t, std::vector<std::byte>> contents;  // states and outputs, plain bytes
  std::map<uint32_t, std::vector<double>> tolerances;   // by value, at full capacity; absent: exact
};
[[nodiscard]] Expected expect(Device& reference, const Program& program, const CompileOptions& options,
                              const ProgramInputs& inputs, std::span<const uint32_t> extents);
// Of a case as `device` lowers it: values that were recorded keep their ids. The device must support it.
[[nodiscard]] Expected expect(Device& reference, const Device& device, const Case& what);

// Compares the first `count` numbers; keeps what is worse than `worst`.
void compare_numbers(std::string_view operand, std::span<const float> expected, std::span<const float> got,
                     std::span<const double> tolerances, Worst& worst);
// The same for plain bytes of a format; integers, codes and sums of codes are compared as such.
void compare_bytes(const ValueInfo& info, size_t elements, std::span<const std::byte> expected,
                   std::span<const std::byte> got, std::span<const double> tolerances, Worst& worst);

struct Comparison {
  std::string name;
  std::string op;
  std::string skipped;  // why the device cannot run the case
  Worst worst;
  std::vector<std::string> failures;  // sentences; empty if it passed
  [[nodiscard]] bool passed() const noexcept { return failures.empty(); }
};

[[nodiscard]] Comparison compare(const Case& what, const Expected& expected, const CaseRun& run);
// Runs the case on both, unless the device does not support it. A device that fails is a failed comparison.
[[nodiscard]] Comparison compare_case(Device& device, Device& reference, const Case& what);

}  // namespace linnet
