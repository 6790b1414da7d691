// linnet bench ops: speed of single ops, in shapes that models really have.
#include <nlohmann/json.hpp>

#include "check/bandwidth.h"
#include "check/op_bench.h"
#include "flags.h"
#include "interrupt.h"
#include "json_text.h"
#include "output.h"
#include "progress.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kBenchOpsExamples = R"(Examples:
  linnet bench ops
  linnet bench ops --only linear --threads 1
  linnet bench ops --json > before.json

The shapes are TinyLlama's, for one row (decode) and many (prompt). Times are medians from the device's own clock.)";

struct BenchOpsFlags {
  DeviceFlags device;
  std::string only;
  unsigned repetitions = BenchOptions{}.repetitions;
  bool json = false;
};

std::vector<BenchResult> measure(const BenchOpsFlags& flags, Device& device) {
  std::vector<BenchCase> cases = bench_cases();
  std::erase_if(cases,
                [&](const BenchCase& each) { return each.what.name.find(flags.only) == std::string::npos; });
  if (cases.empty()) fail(ErrorKind::usage, "--only: no case has '", flags.only, "' in its name");
  std::vector<BenchResult> results;
  ProgressBar bar("measuring");
  for (const BenchCase& each : cases) {
    if (interrupted()) fail(ErrorKind::interrupted, "interrupted");
    results.push_back(bench(device, each, {.repetitions = flags.repetitions}));
    bar.show(results.size(), cases.size());
  }
  return results;
}

std::string to_text(const std::vector<BenchResult>& results, const DeviceInfo& device, double bandwidth) {
  std::vector<std::vector<std::string>> rows = {{"op", "µs", "GB/s", "of memory", "GFLOP/s"}};
  for (const BenchResult& result : results) {
    if (!result.skipped.empty()) {
      rows.push_back({result.name, "-", "-", "-", concat("not supported: ", result.skipped)});
      continue;
    }
    rows.push_back({result.name, fixed(result.seconds * 1e6, 1), fixed(result.bytes_per_second() * 1e-9, 2),
                    fixed(100 * result.bytes_per_second() / bandwidth, 0) + " %",
                    fixed(result.flops_per_second() * 1e-9, 1)});
  }
  return concat(device.backend, ": ", device.name, " (", device.detail, "); memory reads ",
                fixed(bandwidth * 1e-9, 2), " GB/s\n", table(rows, "lrrrr"));
}

std::string to_json(const std::vector<BenchResult>& results, const DeviceInfo& device, double bandwidth) {
  nlohmann::ordered_json ops = nlohmann::ordered_json::array();
  for (const BenchResult& result : results) {
    ops.push_back({{"name", result.name},
                   {"skipped", result.skipped},
                   {"seconds", result.seconds},
                   {"bytes", result.bytes},
                   {"flops", result.flops}});
  }
  const nlohmann::ordered_json json = {{"backend", device.backend},
                                       {"device", device.name},
                                       {"detail", device.detail},
                                       {"bandwidth", bandwidth},
                                       {"ops", std::move(ops)}};
  return json_text(json);
}

int bench_ops(const BenchOpsFlags& flags) {
  const std::unique_ptr<Device> device = flags.device.open();
  catch_interrupt();
  const std::vector<BenchResult> results = measure(flags, *device);
  const double bandwidth = measure_bandwidth(*device, {.threads = flags.device.threads}).best();
  print(flags.json ? to_json(results, device->info(), bandwidth)
                   : to_text(results, device->info(), bandwidth));
  return 0;
}

}  // namespace

void add_bench_ops(CLI::App& bench, Action& action) {
  CLI::App& verb = *bench.add_subcommand("ops", "speed of single ops");
  BenchOpsFlags& flags = add_verb<BenchOpsFlags>(verb, action, bench_ops);
  verb.footer(kBenchOpsExamples);
  verb.add_option("--only", flags.only, "only cases with this in their name")->type_name("TEXT");
  verb.add_option("-r,--repetitions", flags.repetitions, "runs of each case; the median counts")
      ->check(quiet(CLI::Range(1u, 1000u)))
      ->capture_default_str()
      ->type_name("N");
  flags.device.add_to(verb);
  verb.add_flag("--json", flags.json, "print one object");
}

}  // namespace linnet::cli
