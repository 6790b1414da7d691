#include "check/run_case.h"

#include <algorithm>

#include "check/bound_program.h"

namespace linnet {
namespace {

// One row of a matrix, or at least 64 bytes of a vector.
constexpr uint32_t kGuardRows = 1;

bool all_sentinel(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == BoundProgram::kSentinel; });
}

class Inspection {
 public:
  Inspection(const Case& what, BoundProgram& bound) : case_(what), bound_(bound), inputs_(what) {}

  CaseRun result() {
    for (uint32_t id = 0; id < case_.program.values.size(); ++id) {
      const ValueInfo& info = bound_.program().values[id];
      if (info.view.base || info.storage == Storage::weight || info.storage == Storage::scratch) continue;
      look_at({id}, info);
    }
    return std::move(run_);
  }

 private:
  void look_at(Value value, const ValueInfo& info) {
    std::vector<std::byte> bytes = bound_.bytes_with_guard(value);
    const size_t size = bound_.program().bytes(value);
    if (!all_sentinel(std::span(bytes).subspan(size))) violation(info, "memory behind it was written");
    bytes.resize(size);
    switch (info.storage) {
      case Storage::input:
        if (bytes != inputs_.contents(value, info)) violation(info, "an input was written");
        return;
      case Storage::output: {
        const size_t active = bytes_of(info.format, active_elements(info.shape, case_.extents));
        if (!all_sentinel(std::span(bytes).subspan(active)))
          violation(info, "rows beyond the extent were written");
        break;
      }
      default:
        break;
    }
    run_.contents[value.id] = std::move(bytes);
  }

  void violation(const ValueInfo& info, std::string_view what) {
    run_.violations.push_back(concat(case_.name, ": ", info.name, ": ", what));
  }

  const Case& case_;
  BoundProgram& bound_;
  CaseInputs inputs_;
  CaseRun run_;
};

}  // namespace

size_t active_elements(const Shape& shape, std::span<const uint32_t> extents) {
  const Dim rows = shape.rows();
  return (rows.fixed() ? rows.max : extents[rows.extent]) * shape.columns();
}

CaseRun run_case(Device& device, const Case& what) {
  if (std::string reason = unsupported_reason(device, what.program, what.options); !reason.empty()) {
    return {.skipped = std::move(reason), .contents = {}, .violations = {}};
  }
  const CaseInputs inputs(what);
  BoundProgram bound(device, what.program, what.options, inputs, kGuardRows);
  bound.run(what.extents);
  CaseRun first = Inspection(what, bound).result();
  // Once more over scratch that is no longer zero: nothing may depend on what was there before.
  bound.reset();
  bound.run(what.extents);
  CaseRun again = Inspection(what, bound).result();
  if (first.contents != again.contents)
    first.violations.push_back(what.name + ": a second run gave other results");
  return first;
}

}  // namespace linnet
