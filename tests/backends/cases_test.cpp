// Every case of every op, on every device of this build that `auto` may choose, against the reference; on the
// CPU with each instruction set, bit for bit the same with 1, 2 and 4 threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "backends/compiled_in.h"
#include "backends/cpu/backend.h"
#include "backends/reference/backend.h"
#include "check/compare.h"

namespace linnet {
namespace {

struct Setup {
  std::string backend;
  std::string instruction_set;
};

std::vector<Setup> setups() {
  std::vector<Setup> all;
  for (const Backend& backend : compiled_in_backends()) {
    if (!backend.compiled_in || !backend.automatic || !backend.unavailable().empty()) continue;
    if (backend.name == "cpu") {
      for (const std::string& set : cpu_instruction_sets()) all.push_back({backend.name, set});
    } else {
      all.push_back({backend.name, {}});
    }
  }
  return all;
}

std::unique_ptr<Device> opened(const Setup& setup, unsigned threads) {
  return open_device(compiled_in_backends(), setup.backend,
                     {.threads = threads, .instruction_set = setup.instruction_set})
      .device;
}

struct CaseOn {
  const Case* what;
  Setup setup;
};

const std::vector<Case>& cases_in(Format compute) {
  static std::map<Format, std::vector<Case>> made;
  const auto [found, missing] = made.try_emplace(compute);
  if (missing) found->second = all_cases(compute);
  return found->second;
}

// In what each device computes in. Compiled twice: the quick cases also run with sanitizers.
const std::vector<CaseOn>& cases_here() {
  static const std::vector<CaseOn> some = [] {
    std::vector<CaseOn> all;
    for (const Setup& setup : setups()) {
      for (const Case& what : cases_in(opened(setup, 1)->info().compute))
        if (what.quick == (LINNET_QUICK_CASES != 0)) all.push_back({&what, setup});
    }
    return all;
  }();
  return some;
}

class EveryCase : public ::testing::TestWithParam<size_t> {};

TEST_P(EveryCase, MatchesReferenceWithAnyNumberOfThreads) {
  const auto& [chosen, setup] = cases_here()[GetParam()];
  const Case& what = *chosen;
  const auto reference = reference_backend().open({});
  const auto alone = opened(setup, 1);
  const CaseRun run = run_case(*alone, what);
  if (!run.skipped.empty()) GTEST_SKIP() << run.skipped;
  const Expected expected = expect(*reference, *alone, what);
  for (const std::string& failure : compare(what, expected, run).failures) ADD_FAILURE() << failure;
  if (setup.backend != "cpu") return;
  for (const unsigned threads : {2u, 4u}) {
    const auto together = opened(setup, threads);
    EXPECT_EQ(run_case(*together, what).contents, run.contents) << threads << " threads";
  }
}

std::string test_name(const ::testing::TestParamInfo<size_t>& info) {
  const auto& [what, setup] = cases_here()[info.param];
  std::string name = concat(what->name, "_on_", setup.backend, "_", setup.instruction_set);
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryCase, ::testing::Range(size_t{0}, cases_here().size()), test_name);

}  // namespace

}  // namespace linnet
