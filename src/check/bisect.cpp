#include "check/bisect.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "check/bound_program.h"
#include "check/run_case.h"

namespace linnet {
namespace {

BoundProgram ran(const BisectSide& side, const Program& program, const ProgramInputs& inputs,
                 std::span<const uint32_t> extents) {
  CompileOptions options = side.options;
  options.reuse_scratch = false;
  BoundProgram bound(side.device, program, options, inputs);
  bound.run(extents);
  return bound;
}

std::set<uint32_t> written(const Program& program) {
  std::set<uint32_t> ids;
  for (const Op& op : program.ops) {
    for_each_operand(op, [&](Value value, Access access, std::string_view) {
      if (access != Access::read) ids.insert(value.id);
    });
  }
  return ids;
}

void measure(std::span<const float> a, std::span<const float> b, ValueDifference& result) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double difference = 0;
  double norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]);
    const auto y = static_cast<double>(b[i]);
    if (std::isfinite(y)) {
      norm += y * y;
      result.largest_magnitude = std::max(result.largest_magnitude, std::abs(y));
    }
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double distance = std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) : kInfinity;
    difference += distance * distance;
    result.largest = std::max(result.largest, distance);
  }
  if (difference != 0) result.relative = norm > 0 ? std::sqrt(difference / norm) : kInfinity;
}

}  // namespace

BisectReport bisect(const Program& program, const BisectSide& a, const BisectSide& b,
                    const ProgramInputs& inputs, std::span<const uint32_t> extents, double threshold) {
  BoundProgram on_a = ran(a, program, inputs, extents);
  BoundProgram on_b = ran(b, program, inputs, extents);
  const std::set<uint32_t> by_a = written(on_a.program());
  const std::set<uint32_t> by_b = written(on_b.program());
  BisectReport report;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    for_each_operand(program.ops[i], [&](Value value, Access access, std::string_view operand) {
      if (access == Access::read || !by_a.contains(value.id) || !by_b.contains(value.id)) return;
      const ValueInfo& info = program.info(value);
      ValueDifference result{.op_index = i,
                             .op = std::string(op_name(program.ops[i])),
                             .operand = std::string(operand),
                             .value = info.name.empty() ? concat('%', value.id) : info.name};
      const std::vector<float> left = on_a.floats(value);
      const std::vector<float> right = on_b.floats(value);
      // A state is compared as a whole: both sides began with the same.
      const size_t count =
          info.storage == Storage::state ? left.size() : active_elements(info.shape, extents);
      measure(std::span(left).first(count), std::span(right).first(count), result);
      if (!report.first_over && !(result.relative <= threshold)) report.first_over = report.values.size();
      report.values.push_back(std::move(result));
    });
  }
  return report;
}

}  // namespace linnet
