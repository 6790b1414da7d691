#include <algorithm>
#include <sstream>

#include "api/expect_error.h"

namespace {

TEST(PublicDevice, VersionIsThreeNumbers) {
  int major = -1, minor = -1, patch = -1;
  char rest = 0;
  EXPECT_EQ(std::sscanf(std::string(linnet::version()).c_str(), "%d.%d.%d%c", &major, &minor, &patch, &rest),
            3);
}

TEST(PublicDevice, ListsEveryBackendAndRecommendsOne) {
  const auto all = linnet::backends();
  for (const char* name : {"cpu", "reference", "cuda", "rocm", "metal", "opencl", "webgpu"}) {
    EXPECT_TRUE(std::ranges::any_of(all, [&](const auto& each) { return each.name == name; })) << name;
  }
  EXPECT_EQ(std::ranges::count(all, true, &linnet::BackendStatus::recommended), 1);
  for (const auto& each : all) {
    if (each.unavailable.empty()) {
      EXPECT_FALSE(each.device.name.empty()) << each.name;
      EXPECT_GT(each.device.total_memory, 0u) << each.name;
      EXPECT_LE(each.device.free_memory, each.device.total_memory) << each.name;
    } else {
      EXPECT_FALSE(each.recommended) << each.name;
    }
  }
}

TEST(PublicDevice, AutoOpensTheRecommendedOne) {
  const auto all = linnet::backends();
  const auto best = std::ranges::find(all, true, &linnet::BackendStatus::recommended);
  ASSERT_NE(best, all.end());
  EXPECT_EQ(linnet::open_device().info().backend, best->name);
}

TEST(PublicDevice, NamesThatCannotBeOpenedSayWhy) {
  expect_error(linnet::ErrorKind::usage, "unknown device 'abacus'",
               [] { (void)linnet::open_device("abacus"); });
  expect_error(linnet::ErrorKind::usage, "unknown device ''", [] { (void)linnet::open_device(""); });
  expect_error(linnet::ErrorKind::usage, "threads",
               [] { (void)linnet::open_device("cpu", {.threads = 1u << 31}); });
  const auto all = linnet::backends();
  const auto missing = std::ranges::find(all, false, &linnet::BackendStatus::compiled_in);
  if (missing == all.end()) GTEST_SKIP() << "every backend is compiled in";
  expect_error(linnet::ErrorKind::device, "cannot be used",
               [&] { (void)linnet::open_device(missing->name); });
}

TEST(PublicDevice, AHandleThatWasMovedFromIsAnError) {
  linnet::Device device = linnet::open_device("reference");
  const linnet::Device kept = std::move(device);
  EXPECT_EQ(kept.info().backend, "reference");
  expect_error(linnet::ErrorKind::usage, "moved from",
               [&] { (void)device.info(); });  // NOLINT(bugprone-use-after-move)
}

TEST(PublicReceipt, PrintsATableAndKeepsTheStreamsFormat) {
  const linnet::Receipt receipt{
      .backend = "cpu", .device = "a processor", .runs = 2, .lines = {{"linear", 3, 0.5, 2'000'000'000}}};
  std::ostringstream out;
  out << receipt << 0.5;
  EXPECT_NE(out.str().find("linear"), std::string::npos);
  EXPECT_NE(out.str().find("4.00  cpu"), std::string::npos) << out.str();  // GB/s
  EXPECT_TRUE(out.str().ends_with("a processor\n0.5")) << out.str();
  EXPECT_EQ(
      receipt.to_json(),
      R"({"backend":"cpu","device":"a processor","runs":2,"walked":0,"seconds":0.5,"bytes":2000000000,"ops":[)"
      R"({"op":"linear","count":3,"seconds":0.5,"bytes":2000000000}]})");
}

}  // namespace
