// The benchmarks run and give numbers that can be true.
#include <gtest/gtest.h>

#include "backends/reference/backend.h"
#include "check/bandwidth.h"
#include "check/op_bench.h"

namespace linnet {
namespace {

TEST(OpBench, CoversDecodeAndPrefillShapes) {
  const std::vector<BenchCase> cases = bench_cases();
  EXPECT_GT(cases.size(), 20u);
  for (const BenchCase& each : cases) {
    EXPECT_EQ(each.what.program.ops.size(), each.copies) << each.what.name;
    EXPECT_GT(each.flops, 0) << each.what.name;
  }
}

TEST(OpBench, TimesByTheDevicesReceipt) {
  const auto device = reference_backend().open({});
  for (const BenchCase& each : bench_cases()) {
    if (each.what.name != "rms_norm/1x2048") continue;
    const BenchResult result = bench(*device, each, {.repetitions = 3});
    EXPECT_EQ(result.skipped, "");
    EXPECT_GT(result.seconds, 0);
    EXPECT_EQ(result.bytes, 2048 * 4 * 3);
    EXPECT_GT(result.bytes_per_second(), 0);
    return;
  }
  FAIL() << "no such case";
}

TEST(Bandwidth, MeasuresEveryNumberOfStreams) {
  const Bandwidth bandwidth =
      measure_host_bandwidth({.threads = 2, .bytes = size_t{4} << 20, .repetitions = 2});
  ASSERT_EQ(bandwidth.lines.size(), 5u);
  EXPECT_EQ(bandwidth.lines.front().streams, 1u);
  EXPECT_EQ(bandwidth.lines.back().streams, 16u);
  for (const ReadSpeed& line : bandwidth.lines) {
    EXPECT_GT(line.bytes_per_second, 1e7);
    EXPECT_LE(line.bytes_per_second, bandwidth.best());
  }
}

}  // namespace
}  // namespace linnet
