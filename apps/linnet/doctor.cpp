// linnet doctor: every op of every usable backend against the float64 reference, on this machine.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "backends/compiled_in.h"
#include "base/quoted.h"
#include "check/compare.h"
#include "flags.h"
#include "interrupt.h"
#include "json_text.h"
#include "output.h"
#include "progress.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kDoctorExamples = R"(Examples:
  linnet doctor
  linnet doctor --quick --device cpu
  linnet doctor --op attention --op linear
  linnet doctor --device cpu --instruction-set avx2 --json

Each case is computed by the backend and by the reference, and compared element by element; 'worst' is the largest error
as a share of what rounding explains: up to 1 is right. The exit code is 1 if a backend computes wrongly.)";

struct DoctorFlags {
  DeviceFlags device;
  std::vector<std::string> ops;  // all if there are none
  bool quick = false;
  bool json = false;
};

// All cases of one op on one backend.
struct OpVerdict {
  size_t cases = 0;
  size_t skipped = 0;
  size_t failed = 0;
  double worst = 0;
  std::string worst_case;
  std::vector<std::string> failures;  // sentences
};

struct BackendVerdict {
  std::string backend;
  std::string device;
  std::map<std::string, OpVerdict> ops;
  [[nodiscard]] size_t failed() const {
    size_t sum = 0;
    for (const auto& [op, verdict] : ops) sum += verdict.failed;
    return sum;
  }
};

void add(OpVerdict& verdict, const Comparison& comparison) {
  ++verdict.cases;
  if (!comparison.skipped.empty()) {
    ++verdict.skipped;
    return;
  }
  if (!comparison.passed()) {
    ++verdict.failed;
    for (const std::string& failure : comparison.failures)
      verdict.failures.push_back(comparison.name + ": " + failure);
  }
  if (!(comparison.worst.ratio < verdict.worst) || verdict.worst_case.empty()) {
    verdict.worst = comparison.worst.ratio;
    verdict.worst_case = comparison.name;
  }
}

BackendVerdict examine(Device& device, Device& reference, const std::vector<Case>& cases) {
  const DeviceInfo info = device.info();
  BackendVerdict verdict{
      .backend = info.backend, .device = concat(info.name, " (", info.detail, ")"), .ops = {}};
  ProgressBar bar(info.backend);
  for (size_t i = 0; i < cases.size(); ++i) {
    if (interrupted()) fail(ErrorKind::interrupted, "interrupted");
    const Comparison comparison = compare_case(device, reference, cases[i]);
    add(verdict.ops[comparison.op], comparison);
    bar.show(i + 1, cases.size());
  }
  return verdict;
}

std::string verdict_of(const OpVerdict& op) {
  if (op.failed != 0) return concat("WRONG: ", op.failed, " cases");
  return op.skipped == op.cases ? "not supported" : "ok";
}

std::string to_text(const BackendVerdict& verdict) {
  std::vector<std::vector<std::string>> rows = {{"op", "cases", "worst", "verdict"}};
  std::string failures;
  for (const auto& [name, op] : verdict.ops) {
    const std::string cases =
        op.skipped == 0 ? concat(op.cases) : concat(op.cases - op.skipped, " of ", op.cases);
    rows.push_back({name, cases, op.skipped == op.cases ? "-" : fixed(op.worst, 3), verdict_of(op)});
    for (const std::string& failure : op.failures) failures += "  " + failure + "\n";
  }
  const std::string summary = verdict.failed() == 0
                                  ? "computes as the reference does"
                                  : concat("COMPUTES WRONGLY in ", verdict.failed(), " cases:");
  return concat(verdict.backend, ": ", verdict.device, "\n", table(rows, "lrrl"), verdict.backend, ": ",
                summary, "\n", failures);
}

nlohmann::ordered_json to_json(const BackendVerdict& verdict) {
  nlohmann::ordered_json ops = nlohmann::ordered_json::array();
  for (const auto& [name, op] : verdict.ops) {
    // JSON has no infinity, which stands for an exact result that differs.
    const nlohmann::ordered_json worst = std::isfinite(op.worst) ? nlohmann::ordered_json(op.worst) : nullptr;
    ops.push_back({{"op", name},
                   {"cases", op.cases},
                   {"skipped", op.skipped},
                   {"failed", op.failed},
                   {"worst", worst},
                   {"worst_case", op.worst_case},
                   {"failures", op.failures}});
  }
  return {{"backend", verdict.backend},
          {"device", verdict.device},
          {"failed", verdict.failed()},
          {"ops", std::move(ops)}};
}

std::vector<std::string> backends_to_examine(const DeviceFlags& flags) {
  if (flags.device != "auto") return {flags.device};
  std::vector<std::string> names;
  for (const Backend& backend : compiled_in_backends()) {
    if (backend.name != kReference && backend.compiled_in && backend.unavailable().empty())
      names.push_back(backend.name);
  }
  return names;
}

std::vector<Case> chosen_cases(const DoctorFlags& flags, const Device& device) {
  std::vector<Case> cases = all_cases(device.info().compute);
  std::set<std::string_view> names;
  for (const Case& each : cases) names.insert(op_name(each.program.ops.back()));
  for (const std::string& op : flags.ops) {
    if (names.contains(op)) continue;
    std::string known;
    for (const std::string_view name : names) known += concat(known.empty() ? "" : ", ", name);
    fail(ErrorKind::usage, "--op: there is no op ", quoted_name(op), "; there are ", known);
  }
  std::erase_if(cases, [&](const Case& each) {
    const bool asked = flags.ops.empty() ||
                       std::ranges::find(flags.ops, op_name(each.program.ops.back())) != flags.ops.end();
    return !asked || (flags.quick && !each.quick);
  });
  return cases;
}

int doctor(const DoctorFlags& flags) {
  const std::vector<std::string> names = backends_to_examine(flags.device);
  const std::unique_ptr<Device> reference = flags.device.open(kReference);
  catch_interrupt();
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  size_t failed = 0;
  for (const std::string& name : names) {
    const std::unique_ptr<Device> device = flags.device.open(name);
    const BackendVerdict verdict = examine(*device, *reference, chosen_cases(flags, *device));
    failed += verdict.failed();
    if (flags.json) {
      all.push_back(to_json(verdict));
    } else {
      print(to_text(verdict));
    }
  }
  if (flags.json) {
    const nlohmann::ordered_json json = {{"healthy", failed == 0}, {"backends", std::move(all)}};
    print(json_text(json));
  }
  return failed == 0 ? 0 : static_cast<int>(ErrorKind::failure);
}

}  // namespace

void add_doctor(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("doctor", "check what the backends compute against the reference");
  DoctorFlags& flags = add_verb<DoctorFlags>(verb, action, doctor);
  verb.footer(kDoctorExamples);
  flags.device.add_to(verb);
  verb.add_option("--op", flags.ops, "this op only; may be given several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb.add_flag("--quick", flags.quick, "leave out the large cases");
  verb.add_flag("--json", flags.json, "print one object");
}

}  // namespace linnet::cli
