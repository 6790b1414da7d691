// The reference's cache and attention: against a naive computation over a cache that is not paged, written
// here.
#include <gtest/gtest.h>

#include <cmath>

#include "backends/one_op_run.h"
#include "check/fill.h"

namespace linnet {
namespace {

constexpr uint32_t kHeads = 4;
constexpr uint32_t kKvHeads = 2;
constexpr uint32_t kWidth = 3;
constexpr uint32_t kTokens = 70;  // more than a page

float key(uint32_t token, uint32_t head, uint32_t i) {
  return normal_number(1, (token * kKvHeads + head) * kWidth + i);
}
float number(uint32_t token, uint32_t head, uint32_t i) {
  return normal_number(2, (token * kKvHeads + head) * kWidth + i);
}
float query(uint32_t row, uint32_t head, uint32_t i) {
  return normal_number(3, (row * kHeads + head) * kWidth + i);
}

// Stores all tokens of slot 1, whose pages are 3 and 1, and attends with the last two rows of the batch.
struct Fixture {
  Recorder recorder;
  Value q, k, v, k_cache, v_cache, out;
  Program program;

  Fixture() {
    k = recorder.input({kTokens, kKvHeads, kWidth}, Format::f32, "k");
    v = recorder.input({kTokens, kKvHeads, kWidth}, Format::f32, "v");
    q = recorder.input({kTokens, kHeads, kWidth}, Format::f32, "q");
    const Paging paging{.positions = recorder.input({Dim(kTokens)}, Format::i32, "positions"),
                        .row_starts = recorder.input({Dim(2)}, Format::i32, "row_starts"),
                        .sequence_slots = recorder.input({Dim(1)}, Format::i32, "sequence_slots"),
                        .page_table = recorder.state({2, 2}, Format::i32, "page_table")};
    k_cache = recorder.state({4, kKvHeads, kPageTokens, kWidth}, Format::f32, "k_cache");
    v_cache = recorder.state({4, kKvHeads, kPageTokens, kWidth}, Format::f32, "v_cache");
    out = recorder.output({kTokens, kHeads * kWidth}, Format::f32, "out");
    kv_store(recorder, k, v, paging, k_cache, v_cache);
    recorder.record(Attention{
        .q = q, .paging = paging, .k_cache = k_cache, .v_cache = v_cache, .out = out, .scale = 0.5f});
    program = recorder.take();
  }

  [[nodiscard]] GivenValues given() const {
    GivenValues values(program);
    std::vector<float> keys, numbers, queries;
    std::vector<int32_t> positions;
    for (uint32_t t = 0; t < kTokens; ++t) {
      positions.push_back(static_cast<int32_t>(t));
      for (uint32_t i = 0; i < kKvHeads * kWidth; ++i) {
        keys.push_back(key(t, i / kWidth, i % kWidth));
        numbers.push_back(number(t, i / kWidth, i % kWidth));
      }
      for (uint32_t i = 0; i < kHeads * kWidth; ++i) queries.push_back(query(t, i / kWidth, i % kWidth));
    }
    values.floats("k", keys);
    values.floats("v", numbers);
    values.floats("q", queries);
    values.integers("positions", positions);
    values.integers("row_starts", {0, kTokens});
    values.integers("sequence_slots", {1});
    values.integers("page_table", {0, 0, 3, 1});
    return values;
  }
};

double naive(uint32_t row, uint32_t head, uint32_t i) {
  double weighted = 0;
  double sum = 0;
  for (uint32_t t = 0; t <= row; ++t) {
    double score = 0;
    for (uint32_t j = 0; j < kWidth; ++j) {
      score += static_cast<double>(query(row, head, j)) *
               static_cast<double>(key(t, head / (kHeads / kKvHeads), j));
    }
    const double weight = std::exp(score / 2);
    sum += weight;
    weighted += weight * static_cast<double>(number(t, head / (kHeads / kKvHeads), i));
  }
  return weighted / sum;
}

TEST(ReferenceKvStore, PutsTokensIntoTheirPages) {
  const Fixture fixture;
  ReferenceRun run(fixture.program, fixture.given());
  const std::vector<float> cache = run.floats(fixture.k_cache);
  const auto at = [&](uint32_t page, uint32_t head, uint32_t token, uint32_t i) {
    return cache[((page * kKvHeads + head) * kPageTokens + token) * kWidth + i];
  };
  EXPECT_EQ(at(3, 1, 0, 2), key(0, 1, 2));
  EXPECT_EQ(at(3, 0, 63, 1), key(63, 0, 1));
  EXPECT_EQ(at(1, 1, 5, 0), key(69, 1, 0));
  EXPECT_EQ(at(1, 1, 6, 0), 0.0f);  // nobody stored a token 70
  EXPECT_EQ(at(2, 0, 0, 0), 0.0f);
}

TEST(ReferenceAttention, IsTheNaiveWeightedMean) {
  const Fixture fixture;
  ReferenceRun run(fixture.program, fixture.given());
  const std::vector<float> out = run.floats(fixture.out);
  for (const uint32_t row : {0u, 1u, 63u, 64u, 69u}) {
    for (uint32_t i = 0; i < kHeads * kWidth; ++i) {
      EXPECT_NEAR(static_cast<double>(out[row * kHeads * kWidth + i]), naive(row, i / kWidth, i % kWidth),
                  1e-6);
    }
  }
}

TEST(ReferenceAttention, RefusesTablesThatPointOutside) {
  const Fixture fixture;
  const std::vector<std::tuple<std::string, std::vector<int32_t>, std::string>> broken = {
      {"page_table", {0, 0, 4, 1}, "[kv_store] page_table[2]: expected a number in [0, 4), got 4"},
      {"page_table", {0, 0, 3, -1}, "[kv_store] page_table[3]: expected a number in [0, 4), got -1"},
      {"sequence_slots", {2}, "[kv_store] sequence_slots[0]: expected a number in [0, 2), got 2"},
      {"row_starts", {0, 71}, "[kv_store] row_starts[1]: expected a number in [0, 71), got 71"},
      {"row_starts", {1, 70}, "[kv_store] row_starts[0]: expected a number in [0, 1), got 1"},
      {"positions", {128}, "[kv_store] positions[0]: expected a number in [0, 128), got 128"},
  };
  for (const auto& [name, numbers, message] : broken) {
    GivenValues given = fixture.given();
    given.integers(name, numbers);
    ReferenceRun run(fixture.program, given);
    try {
      static_cast<void>(run.floats(fixture.out));
      ADD_FAILURE() << name << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), message);
    }
  }
}

}  // namespace
}  // namespace linnet
