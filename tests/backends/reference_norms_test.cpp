// The reference against numbers worked out by hand: element-wise ops, norms, softmax, products, codes,
// rotations.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "backends/one_op_run.h"

namespace linnet {
namespace {

void expect_near(const std::vector<float>& got, const std::vector<double>& expected, double relative = 1e-7) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(got[i]), expected[i], relative * std::max(1.0, std::abs(expected[i])))
        << i;
  }
}

TEST(ReferenceRmsNorm, DividesByTheRootOfTheMeanSquare) {
  Recorder recorder;
  const Value x = recorder.input({2, 4}, Format::f32, "x");
  const Value weight = recorder.weight({Dim(4)}, Format::f32, "weight");
  const Value out = recorder.output({2, 4}, Format::f32, "out");
  recorder.record(RmsNorm{.x = x, .weight = weight, .out = out, .epsilon = 2.5f});
  const Program program = recorder.take();
  GivenValues given(program);
  given.floats("x", {1, 2, 3, 4, 0, 0, 0, 0});  // mean square 7.5, with epsilon 10
  given.floats("weight", {1, 2, -1, 0.5f});
  const double r = 1 / std::sqrt(10.0);
  expect_near(ReferenceRun(program, given).floats(out), {r, 4 * r, -3 * r, 2 * r, 0, 0, 0, 0});
}

TEST(ReferenceLayerNorm, CentresAndScales) {
  Recorder recorder;
  const Value x = recorder.input({1, 4}, Format::f32, "x");
  const Value weight = recorder.weight({Dim(4)}, Format::f32, "weight");
  const Value bias = recorder.weight({Dim(4)}, Format::f32, "bias");
  const Value out = recorder.output({1, 4}, Format::f32, "out");
  recorder.record(LayerNorm{.x = x, .weight = weight, .bias = bias, .out = out, .epsilon = 2.75f});
  const Program program = recorder.take();
  GivenValues given(program);
  given.floats("x", {1, 2, 3, 4});  // mean 2.5, variance 1.25, with epsilon 4
  given.floats("weight", {1, 2, 1, -4});
  given.floats("bias", {0, 0, 10, 1});
  expect_near(ReferenceRun(program, given).floats(out), {-0.75, -0.5, 10.25, -2});
}

TEST(ReferenceSoftmax, SumsToOneAndIgnoresMaskedEntries) {
  Recorder recorder;
  const Value x = recorder.input({2, 3}, Format::f32, "x");
  const Value out = recorder.output({2, 3}, Format::f32, "out");
  recorder.record(Softmax{.x = x, .out = out});
  const Program program = recorder.take();
  GivenValues given(program);
  const float masked = -std::numeric_limits<float>::infinity();
  given.floats("x", {std::log(1.0f), std::log(3.0f), masked, 1000, 1000, 999});
  const double e = std::exp(-1.0);
  expect_near(ReferenceRun(program, given).floats(out),
              {0.25, 0.75, 0, 1 / (2 + e), 1 / (2 + e), e / (2 + e)});
}

TEST(ReferenceActivation, HasTheTabulatedValues) {
  const std::vector<std::pair<ActivationKind, std::vector<double>>> expected = {
      {ActivationKind::silu, {0, 0.7310585786300049, -0.2689414213699951, 1.7615941559557649}},
      {ActivationKind::gelu, {0, 0.8413447460685429, -0.15865525393145705, 1.9544997361036416}},
      {ActivationKind::gelu_tanh, {0, 0.8411919906082768, -0.15880800939172324, 1.9545976940877752}},
  };
  for (const auto& [kind, numbers] : expected) {
    Recorder recorder;
    const Value x = recorder.input({1, 4}, Format::f32, "x");
    const Value out = recorder.output({1, 4}, Format::f32, "out");
    recorder.record(Activation{.x = x, .out = out, .kind = kind});
    const Program program = recorder.take();
    GivenValues given(program);
    given.floats("x", {0, 1, -1, 2});
    expect_near(ReferenceRun(program, given).floats(out), numbers);
  }
}

TEST(ReferenceGatedActivation, MultipliesTheActivatedGateWithTheValue) {
  Recorder recorder;
  const Value x = recorder.input({1, 4}, Format::f32, "x");
  const Value out = recorder.output({1, 2}, Format::f32, "out");
  recorder.record(GatedActivation{.x = x, .out = out});
  const Program program = recorder.take();
  GivenValues given(program);
  given.floats("x", {1, -1, 10, 100});
  expect_near(ReferenceRun(program, given).floats(out), {7.310585786300049, -26.89414213699951});
}

TEST(ReferenceLinear, MultipliesRowsWithRows) {
  for (const Format format : {Format::f32, Format::f16, Format::bf16}) {
    Recorder recorder;
    const Value x = recorder.input({2, 3}, Format::f32, "x");
    const Value weight = recorder.weight({2, 3}, format, "weight");
    const Value bias = recorder.weight({Dim(2)}, Format::f32, "bias");
    const Value out = recorder.output({2, 2}, Format::f32, "out");
    recorder.record(Linear{.x = x, .weight = weight, .bias = bias, .out = out});
    const Program program = recorder.take();
    GivenValues given(program);
    given.floats("x", {1, 2, 3, -1, 0, 0.5f});
    given.floats("weight", {1, 10, 100, 2, -1, 0.25f});
    given.floats("bias", {1000, -5});
    EXPECT_EQ(ReferenceRun(program, given).floats(out), (std::vector<float>{1321, -4.25f, 1049, -6.875f}));
  }
}

TEST(ReferenceQuantize, GivesCodesScaleAndSum) {
  Recorder recorder;
  const Value x = recorder.input({1, 32}, Format::f32, "x");
  const Value out = recorder.output({1, 32}, Format::q8_a, "out");
  recorder.record(Quantize{.x = x, .out = out});
  const Program program = recorder.take();
  GivenValues given(program);
  given.floats(
      "x", {254, 1, 3, -5, -254});  // scale 2: codes 127, 0 (0.5 to even), 2 (1.5 to even), -2 (−2.5), −127
  std::vector<float> expected(32, 0.0f);
  expected[0] = 254;
  expected[2] = 4;
  expected[3] = -4;
  expected[4] = -254;
  ReferenceRun run(program, given);
  EXPECT_EQ(run.floats(out), expected);
  EXPECT_EQ(run.integers(out)[1], 127 + 0 + 2 - 2 - 127);  // the sum follows the scale
}

TEST(ReferenceRope, TurnsAdjacentPairsAndHalvesAndCopiesTheRest) {
  for (const RopePairs pairs : {RopePairs::adjacent, RopePairs::halves}) {
    Recorder recorder;
    const Value x = recorder.input({1, 1, 5}, Format::f32, "x");
    const Value angles = recorder.input({1, 2, 2}, Format::f32, "angles");
    const Value out = recorder.output({1, 1, 5}, Format::f32, "out");
    recorder.record(Rope{.x = x, .angles = angles, .out = out, .pairs = pairs});
    const Program program = recorder.take();
    GivenValues given(program);
    given.floats("x", {1, 2, 3, 4, 5});
    given.floats("angles", {0, 1, 0.5f, 0.25f});  // a quarter turn; something else
    // adjacent: (1, 2) → (−2, 1), (3, 4) → (1.5 − 1, 0.75 + 2); halves: (1, 3) → (−3, 1), (2, 4) → (1 − 1,
    // 0.5 + 2)
    const std::vector<float> expected = pairs == RopePairs::adjacent
                                            ? std::vector<float>{-2, 1, 0.5f, 2.75f, 5}
                                            : std::vector<float>{-3, 0, 1, 2.5f, 5};
    EXPECT_EQ(ReferenceRun(program, given).floats(out), expected);
  }
}

TEST(ReferenceRopeAngles, AddsBothPartsOfAFrequencyBeforeMultiplying) {
  Recorder recorder;
  const Value positions = recorder.input({Dim(2)}, Format::i32, "positions");
  const Value frequencies = recorder.weight({1, 2}, Format::f32, "frequencies");
  const Value out = recorder.output({2, 1, 2}, Format::f32, "out");
  recorder.record(RopeAngles{.positions = positions, .frequencies = frequencies, .out = out});
  const Program program = recorder.take();
  GivenValues given(program);
  given.integers("positions", {0, 1000000});
  const auto high = static_cast<float>(0.1);
  const auto low = static_cast<float>(0.1 - static_cast<double>(high));
  given.floats("frequencies", {high, low});
  expect_near(ReferenceRun(program, given).floats(out), {1, 0, std::cos(100000.0), std::sin(100000.0)});
}

TEST(ReferenceEmbedding, LooksRowsUp) {
  Recorder recorder;
  const Value table = recorder.weight({3, 2}, Format::f32, "table");
  const Value ids = recorder.input({Dim(2)}, Format::i32, "ids");
  const Value out = recorder.output({2, 2}, Format::f32, "out");
  recorder.record(Embedding{.table = table, .ids = ids, .out = out});
  const Program program = recorder.take();
  GivenValues given(program);
  given.floats("table", {1, 2, 3, 4, 5, 6});
  given.integers("ids", {2, 0});
  EXPECT_EQ(ReferenceRun(program, given).floats(out), (std::vector<float>{5, 6, 1, 2}));
}

}  // namespace
}  // namespace linnet
