// The checks themselves: the reference passes against itself, and every kind of fault is caught.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "check/altered_device.h"
#include "check/compare.h"
#include "check/tolerance.h"

namespace linnet {
namespace {

template <class Op>
Case first_case() {
  return cases<Op>().front();
}

TEST(Cases, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Case& what : all_cases(Format::bf16)) EXPECT_TRUE(names.insert(what.name).second) << what.name;
}

TEST(Cases, AreThereInBothHalvesForADeviceThatComputesInOne) {
  const auto count = [](const std::vector<Case>& cases, Format activations, bool quick) {
    return std::ranges::count_if(cases, [&](const Case& each) {
      return std::holds_alternative<NormGatedLinear>(each.program.ops.back()) && each.quick == quick &&
             each.options.activations == activations;
    });
  };
  const auto plain = all_cases(Format::f32);
  const auto cases = all_cases(Format::f16);
  EXPECT_EQ(plain.size(), all_cases().size());
  EXPECT_GT(count(cases, Format::f16, true), 20);
  EXPECT_EQ(count(cases, Format::bf16, true), 0);
  EXPECT_EQ(count(cases, Format::bf16, false),
            count(cases, Format::f16, true) + count(cases, Format::f16, false));
  EXPECT_EQ(count(cases, Format::f32, true), count(plain, Format::f32, true));
}

// The reference is slow, and has no tiles that only a large case would fill.
bool passes_soon(const Case& what) {
  constexpr size_t kMany = 200000;
  size_t elements = 0;
  for (const ValueInfo& value : what.program.values) elements += value.shape.elements();
  return what.quick && elements < kMany;
}

TEST(Cases, PassOnTheReferenceAgainstItself) {
  const auto device = reference_backend().open({});
  const auto reference = reference_backend().open({});
  size_t passed = 0;
  for (const Case& what : all_cases(Format::bf16)) {
    if (!passes_soon(what)) continue;
    ++passed;
    const Comparison result = compare_case(*device, *reference, what);
    EXPECT_EQ(result.skipped, "") << what.name;
    for (const std::string& failure : result.failures) ADD_FAILURE() << failure;
  }
  EXPECT_GT(passed, 500);
}

// A relative error of 1e-3 in one element is far outside every tolerance of f32 results; in a token or a
// code, any change.
TEST(Comparison, CatchesOneWrongElementOfEveryOp) {
  const auto reference = reference_backend().open({});
  std::set<std::string> seen;
  for (const Case& what : all_cases()) {
    const std::string op(op_name(what.program.ops.back()));
    if (!what.quick || seen.contains(op)) continue;
    Expected expected = expect(*reference, *reference, what);
    AlteredDevice device;
    const CaseRun good = run_case(device, what);
    ASSERT_TRUE(compare(what, expected, good).passed()) << what.name;
    CaseRun bad = good;
    for (auto& [id, bytes] : bad.contents) {
      const ValueInfo& info = what.program.values[id];
      if (info.name == "params" || info.name == "page_table") continue;
      if (info.format == Format::f32) {
        float number = 0;
        std::memcpy(&number, bytes.data(), sizeof number);
        number = number == 0 ? 1e-3f : number * 1.001f;
        std::memcpy(bytes.data(), &number, sizeof number);
      } else {
        bytes[0] ^= std::byte{1};
      }
    }
    EXPECT_FALSE(compare(what, expected, bad).passed()) << what.name;
    seen.insert(op);
  }
  EXPECT_EQ(seen.size(), std::variant_size_v<Op>);
}

TEST(Comparison, CatchesElementsThatWereNeverWritten) {
  const auto reference = reference_backend().open({});
  const Case what = first_case<RmsNorm>();
  CaseRun run = run_case(*reference, what);
  std::fill_n(run.contents.begin()->second.begin(), 4, std::byte{0xFF});
  const Comparison result = compare(what, expect(*reference, *reference, what), run);
  ASSERT_FALSE(result.passed());
  EXPECT_TRUE(std::isinf(result.worst.ratio));
  EXPECT_TRUE(std::isnan(result.worst.got));
}

TEST(RunCase, CatchesRowsBeyondTheExtentAndMemoryBehind) {
  const Case what = first_case<RmsNorm>();  // 3 of 4 rows of 1, and a guard row: 5 words
  for (const size_t word : {3u, 4u}) {
    AlteredDevice device;
    device.alter_read = [&](size_t offset, std::span<std::byte> bytes) {
      if (offset == 0 && bytes.size() == 20) bytes[word * 4] = std::byte{0};
    };
    const CaseRun run = run_case(device, what);
    ASSERT_FALSE(run.violations.empty());
    const std::string expected =
        word == 3 ? "rows beyond the extent were written" : "memory behind it was written";
    EXPECT_TRUE(std::ranges::any_of(run.violations,
                                    [&](const std::string& each) { return each.ends_with(expected); }));
  }
}

TEST(RunCase, CatchesInputsThatChange) {
  const Case what = first_case<Add>();
  AlteredDevice device;
  device.alter_read = [](size_t, std::span<std::byte> bytes) { bytes[0] ^= std::byte{1}; };
  const CaseRun run = run_case(device, what);
  EXPECT_TRUE(std::ranges::any_of(
      run.violations, [](const std::string& each) { return each.ends_with("an input was written"); }));
}

TEST(RunCase, SaysWhyACaseIsSkipped) {
  AlteredDevice device;
  device.alter_lower = [](const Op&, Recorder&) { return Lowered::unsupported("no such kernel"); };
  EXPECT_EQ(run_case(device, first_case<Add>()).skipped, "[add] no such kernel");
}

TEST(Tolerance, IsTightEnoughToMissNoProduct) {
  // One of 64 products left out changes a result by about 1/8 of its size: a hundred thousand times the
  // tolerance.
  const auto reference = reference_backend().open({});
  Recorder recorder;
  CaseBuilder builder("tolerance");
  const Value x = builder.input({1, 64}, Format::f32, "x");
  const Value weight = builder.weight({8, 64}, Format::f32, "weight");
  const Value out = builder.output({1, 8}, Format::f32, "out");
  const Case what = builder.record(Linear{.x = x, .weight = weight, .bias = {}, .out = out});
  const Expected expected = expect(*reference, *reference, what);
  for (const double tolerance : expected.tolerances.at(out.id)) {
    EXPECT_GT(tolerance, 0x1p-24);
    EXPECT_LT(tolerance, 1e-4);
  }
}

TEST(Tolerance, AllowsACodeOnlyWhereXLiesBetweenTwo) {
  // A normed row whose codes are quantized: elements far from the middle between codes get no whole code.
  const auto reference = reference_backend().open({});
  Recorder recorder;
  const Value x = recorder.input({1, 32}, Format::f32, "x");
  const Value norm = recorder.weight({Dim(32)}, Format::f32, "norm");
  const Value out = recorder.output({1, 32}, Format::q8_a, "out");
  const Value normed = rms_norm(recorder, x, norm, 0, {}, Format::f32);
  recorder.record(Quantize{.x = normed, .out = out});
  Case what{.name = "codes", .program = recorder.take(), .fills = {}, .extents = {}, .options = {}};
  std::vector<float> numbers(32, 10);
  numbers[0] = 127;
  numbers[1] = 10.5f;  // between codes 10 and 11
  what.fills[x.id] = Fill::values(numbers);
  what.fills[norm.id] = Fill::values({1});
  const std::vector<double> tolerances = expect(*reference, *reference, what).tolerances.at(out.id);
  const double code = 127 / std::sqrt((127.0 * 127 + 10.5 * 10.5 + 30 * 100) / 32) / 127;
  EXPECT_GE(tolerances[1], code);
  EXPECT_LT(tolerances[1], 1.01 * code);
  EXPECT_LT(tolerances[2], 0.01 * code);
}

}  // namespace
}  // namespace linnet
