#include "check/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>

#include "check/bound_program.h"
#include "check/tolerance.h"
#include "format/q8_a.h"

namespace linnet {
namespace {

double ratio_of(double expected, double got, double tolerance) {
  if (expected == got || (std::isnan(expected) && std::isnan(got))) return 0;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (std::isinf(tolerance)) return 0;  // nobody's memory
  if (!std::isfinite(expected) || !std::isfinite(got) || !(tolerance > 0)) return kInfinity;
  return std::abs(got - expected) / tolerance;
}

void keep_worse(std::string_view operand, size_t index, double expected, double got, double tolerance,
                Worst& worst) {
  const double ratio = ratio_of(expected, got, tolerance);
  if (!worst.operand.empty() && ratio <= worst.ratio) return;
  worst = {std::string(operand), index, expected, got, tolerance, ratio};
}

void compare_integers(std::string_view operand, size_t elements, std::span<const std::byte> expected,
                      std::span<const std::byte> got, std::span<const double> tolerances, Worst& worst) {
  for (size_t i = 0; i < elements; ++i) {
    int32_t a = 0;
    int32_t b = 0;
    std::memcpy(&a, expected.data() + i * sizeof a, sizeof a);
    std::memcpy(&b, got.data() + i * sizeof b, sizeof b);
    keep_worse(operand, i, a, b, tolerances.empty() ? 0 : tolerances[i], worst);
  }
}

// The sums of codes, which decoding does not show.
void compare_code_sums(std::string_view operand, size_t elements, std::span<const std::byte> expected,
                       std::span<const std::byte> got, Worst& worst) {
  const std::string name = concat(operand, " (sum of codes)");
  for (size_t i = 0; i < elements / Q8ABlock::kElements; ++i) {
    Q8ABlock a;
    Q8ABlock b;
    std::memcpy(&a, expected.data() + i * sizeof a, sizeof a);
    std::memcpy(&b, got.data() + i * sizeof b, sizeof b);
    keep_worse(name, i, a.sum, b.sum, 0, worst);
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Worst& worst) {
  const auto precision = out.precision(9);
  out << worst.operand << '[' << worst.index << "]: expected " << worst.expected << ", got " << worst.got
      << ", tolerance " << worst.tolerance << " (ratio " << worst.ratio << ')';
  out.precision(precision);
  return out;
}

Expected expect(Device& reference, const Program& program, const CompileOptions& options,
                const ProgramInputs& inputs, std::span<const uint32_t> extents) {
  CompileOptions readable = options;
  readable.reuse_scratch = false;
  BoundProgram bound(reference, program, readable, inputs);
  bound.run(extents);
  Errors errors(bound.program(), extents, [&](Value value) { return bound.floats(value); });
  Expected expected;
  for (uint32_t id = 0; id < program.values.size(); ++id) {
    const ValueInfo& info = bound.program().values[id];
    if (info.view.base || (info.storage != Storage::state && info.storage != Storage::output)) continue;
    expected.contents[id] = bound.bytes({id});
  }
  follow(bound.program(), errors);
  for (const auto& [id, bytes] : expected.contents) {
    if (!errors.exact({id})) expected.tolerances[id] = errors.of({id});
  }
  return expected;
}

Expected expect(Device& reference, const Device& device, const Case& what) {
  const Program lowered = lowered_by(device, what.program, what.options);
  return expect(reference, lowered, what.options, CaseInputs(what), what.extents);
}

void compare_numbers(std::string_view operand, std::span<const float> expected, std::span<const float> got,
                     std::span<const double> tolerances, Worst& worst) {
  for (size_t i = 0; i < expected.size(); ++i) {
    keep_worse(operand, i, static_cast<double>(expected[i]), static_cast<double>(got[i]),
               tolerances.empty() ? 0 : tolerances[i], worst);
  }
}

void compare_bytes(const ValueInfo& info, size_t elements, std::span<const std::byte> expected,
                   std::span<const std::byte> got, std::span<const double> tolerances, Worst& worst) {
  if (info.format == Format::i32)
    return compare_integers(info.name, elements, expected, got, tolerances, worst);
  std::vector<float> a(elements);
  std::vector<float> b(elements);
  decode(info.format, expected, a);
  decode(info.format, got, b);
  compare_numbers(info.name, a, b, tolerances, worst);
  if (info.format == Format::q8_a && tolerances.empty()) {
    compare_code_sums(info.name, elements, expected, got, worst);
  }
}

Comparison compare(const Case& what, const Expected& expected, const CaseRun& run) {
  Comparison result{.name = what.name,
                    .op = std::string(op_name(what.program.ops.back())),
                    .skipped = run.skipped,
                    .worst = {},
                    .failures = run.violations};
  if (!run.skipped.empty()) return result;
  const Program resolved =
      lower(what.program, what.options, [](const Op&, Recorder&) { return Lowered::keep(); });
  for (const auto& [id, bytes] : expected.contents) {
    const ValueInfo& info = resolved.values[id];
    const auto tolerances = expected.tolerances.find(id);
    // All of a state: what the op does not write must be as it was. Of an output, the rows of this run.
    const size_t elements =
        info.storage == Storage::state ? info.shape.elements() : active_elements(info.shape, what.extents);
    compare_bytes(info, elements, bytes, run.contents.at(id),
                  tolerances == expected.tolerances.end() ? std::span<const double>{} : tolerances->second,
                  result.worst);
  }
  if (result.worst.ratio > 1)
    result.failures.push_back(concat("[", result.op, "] ", what.name, ": ", result.worst));
  return result;
}

Comparison compare_case(Device& device, Device& reference, const Case& what) {
  try {
    const CaseRun run = run_case(device, what);
    return compare(what, run.skipped.empty() ? expect(reference, device, what) : Expected{}, run);
  } catch (const Error& error) {
    return {.name = what.name,
            .op = std::string(op_name(what.program.ops.back())),
            .skipped = {},
            .worst = {},
            .failures = {concat(what.name, ": ", error.what())}};
  }
}

}  // namespace linnet
