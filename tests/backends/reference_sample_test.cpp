// The reference's sampling: greedy, ties, cuts, the random draw, and how a slot advances.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "backends/one_op_run.h"
#include "base/philox.h"

namespace linnet {
namespace {

constexpr int32_t kRing = 4;

struct Outcome {
  int32_t token, position, remaining;
  std::vector<int32_t> ring;
};

Outcome draw(std::vector<float> logits, SampleParams params, int32_t position = 5, int32_t remaining = 3,
             std::vector<int32_t> stop_ids = {-1}) {
  Recorder recorder;
  const Sample op{
      .logits = recorder.input({1, static_cast<uint32_t>(logits.size())}, Format::f32, "logits"),
      .slots = recorder.input({Dim(1)}, Format::i32, "slots"),
      .params = recorder.state({2, kSampleParamWords}, Format::i32, "params"),
      .stop_ids = recorder.input({Dim(static_cast<uint32_t>(stop_ids.size()))}, Format::i32, "stop_ids"),
      .tokens = recorder.state({Dim(2)}, Format::i32, "tokens"),
      .positions = recorder.state({Dim(2)}, Format::i32, "positions"),
      .remaining = recorder.state({Dim(2)}, Format::i32, "remaining"),
      .ring = recorder.state({2, kRing}, Format::i32, "ring")};
  recorder.record(op);
  const Program program = recorder.take();
  GivenValues given(program);
  given.floats("logits", std::move(logits));
  given.integers("slots", {1});
  const auto words = std::bit_cast<std::array<int32_t, kSampleParamWords>>(params);
  std::vector<int32_t> table(kSampleParamWords, 0);
  table.insert(table.end(), words.begin(), words.end());
  given.integers("params", table);
  given.integers("stop_ids", std::move(stop_ids));
  given.integers("tokens", {-8, -9});
  given.integers("positions", {40, position});
  given.integers("remaining", {41, remaining});
  given.integers("ring", {-1, -1, -1, -1, -2, -2, -2, -2});
  ReferenceRun run(program, given);
  EXPECT_EQ(run.integers(op.tokens)[0], -8) << "the other slot must be left alone";
  EXPECT_EQ(run.integers(op.positions)[0], 40);
  const std::vector<int32_t> ring = run.integers(op.ring);
  return {run.integers(op.tokens)[1],
          run.integers(op.positions)[1],
          run.integers(op.remaining)[1],
          {ring.begin() + kRing, ring.end()}};
}

TEST(ReferenceSample, GreedyTakesTheLargestAndTheSmallerTokenOfEqualOnes) {
  EXPECT_EQ(draw({1, 5, 2, 5}, {}).token, 1);
  EXPECT_EQ(draw({-3, -2, -2}, {}).token, 1);
  EXPECT_EQ(draw({std::nanf(""), -100}, {}).token, 1);
}

TEST(ReferenceSample, AdvancesTheSlot) {
  const Outcome after = draw({0, 0, 9}, {}, 6, 3);
  EXPECT_EQ(after.token, 2);
  EXPECT_EQ(after.position, 7);
  EXPECT_EQ(after.remaining, 2);
  EXPECT_EQ(after.ring, (std::vector<int32_t>{-2, -2, 2, -2}));  // 6 mod 4
}

TEST(ReferenceSample, LeavesASlotWithNothingRemainingAsItIs) {
  const Outcome after = draw({0, 0, 9}, {}, 6, 0);
  EXPECT_EQ(after.token, -9);
  EXPECT_EQ(after.position, 6);
  EXPECT_EQ(after.remaining, 0);
  EXPECT_EQ(after.ring, (std::vector<int32_t>{-2, -2, -2, -2}));
}

TEST(ReferenceSample, StopIdsEndASlot) {
  EXPECT_EQ(draw({0, 0, 9}, {}, 6, 3, {7, 2}).remaining, 0);
  EXPECT_EQ(draw({0, 0, 9}, {}, 6, 3, {7, 1}).remaining, 2);
}

// Probabilities 0.5, 0.3, 0.2 of tokens 2, 0, 1.
const std::vector<float> kLogits = {std::log(0.3f), std::log(0.2f), std::log(0.5f)};

int32_t by_hand(double u, double kept) {
  const double threshold = u * kept;
  return threshold < 0.5 ? 2 : threshold < 0.8 ? 0 : 1;
}

TEST(ReferenceSample, DrawsByPhiloxOfSeedAndPosition) {
  int seen[3] = {};
  for (int32_t position = 0; position < 60; ++position) {
    const SampleParams params{.temperature = 1, .seed_low = 123, .seed_high = 9};
    const double u =
        static_cast<double>(philox_uniform((uint64_t{9} << 32) | 123, static_cast<uint32_t>(position)));
    const int32_t token = draw(kLogits, params, position).token;
    EXPECT_EQ(token, by_hand(u, 1)) << position;
    ++seen[token];
  }
  for (const int count : seen) EXPECT_GT(count, 0);  // otherwise this test shows little
}

TEST(ReferenceSample, CutsAtTopKAndTopP) {
  for (int32_t position = 0; position < 60; ++position) {
    const double u = static_cast<double>(philox_uniform(7, static_cast<uint32_t>(position)));
    const SampleParams top_k{.temperature = 1, .top_k = 2, .seed_low = 7};
    EXPECT_EQ(draw(kLogits, top_k, position).token, by_hand(u, 0.8)) << position;
    const SampleParams top_p{.temperature = 1, .top_p = 0.7f, .seed_low = 7};  // 0.5 is not enough, 0.8 is
    EXPECT_EQ(draw(kLogits, top_p, position).token, by_hand(u, 0.8)) << position;
    const SampleParams narrow{.temperature = 1, .top_p = 0.4f, .seed_low = 7};
    EXPECT_EQ(draw(kLogits, narrow, position).token, 2) << position;
  }
}

TEST(ReferenceSample, ColdIsGreedyAndHotIsUniform) {
  int seen[3] = {};
  for (int32_t position = 0; position < 90; ++position) {
    EXPECT_EQ(draw(kLogits, {.temperature = 0.01f, .seed_low = 7}, position).token, 2);
    ++seen[draw(kLogits, {.temperature = 1e6f, .seed_low = 7}, position).token];
  }
  for (const int count : seen) EXPECT_GT(count, 15);
}

}  // namespace
}  // namespace linnet
