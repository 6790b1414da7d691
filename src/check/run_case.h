// Runs a case on a device and looks at what no kernel may touch: rows beyond the counts of the run, memory
// behind every value, and the inputs. Results are judged in compare.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/case.h"
#include "device/device.h"

namespace linnet {

struct CaseRun {
  std::string skipped;  // why the device cannot run this case; empty if it ran
  // Each state and output after the run, in plain bytes at full capacity.
  std::map<uint32_t, std::vector<std::byte>> contents;
  // What was touched that must not be, or differed when the same case ran again over used scratch.
  std::vector<std::string> violations;
};

// Throws the device's error if the run fails.
[[nodiscard]] CaseRun run_case(Device& device, const Case& what);

// Elements of a value that a run with these counts is about.
[[nodiscard]] size_t active_elements(const Shape& shape, std::span<const uint32_t> extents);

}  // namespace linnet
