// Single ops of the public API, against what can be worked out by hand; the kernels themselves are tested
// elsewhere.
#include <cmath>
#include <numeric>

#include "api/each_device.h"
#include "api/expect_error.h"

namespace {

using linnet::Format;
using linnet::Shape;
using linnet::Tensor;

class PublicOps : public OnEachDevice {
 protected:
  [[nodiscard]] Tensor tensor(std::vector<float> values, Shape shape, Format format = Format::f32) {
    return Tensor::from_floats(values, std::move(shape), device(), format);
  }
  [[nodiscard]] Tensor integers(std::vector<int32_t> values) {
    return Tensor::from_integers(values, {static_cast<uint32_t>(values.size())}, device());
  }
};
LINNET_ON_EACH_DEVICE(PublicOps);

void expect_near(const Tensor& got, const Shape& shape, const std::vector<float>& expected,
                 float tolerance = 1e-5f) {
  EXPECT_EQ(got.shape(), shape);
  const std::vector<float> values = got.to_floats();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

TEST_P(PublicOps, EmbeddingLooksRowsUp) {
  const Tensor table = tensor({1, 2, 3, 4, 5, 6}, {3, 2});
  expect_near(linnet::embedding(table, integers({2, 0, 2})), {3, 2}, {5, 6, 1, 2, 5, 6});
}

TEST_P(PublicOps, EmbeddingRefusesIdsOutOfRangeAndTheDeviceStaysUsable) {
  const Tensor table = tensor({1, 2, 3, 4, 5, 6}, {3, 2});
  using enum linnet::ErrorKind;
  expect_error(usage, "ids[1]: expected 0 to 2, got 3", [&] {
    (void)linnet::embedding(table, integers({0, 3}));
  });
  expect_error(usage, "got -1", [&] { (void)linnet::embedding(table, integers({-1})); });
  expect_near(linnet::embedding(table, integers({1})), {1, 2}, {3, 4});
}

TEST_P(PublicOps, LinearMultipliesByRowsOfTheWeightAndAddsTheBias) {
  const Tensor x = tensor({1, 2, 3, 4}, {2, 2});
  const Tensor weight = tensor({1, 0, 0, 1, 1, 1}, {3, 2});
  expect_near(linnet::linear(x, weight), {2, 3}, {1, 2, 3, 3, 4, 7});
  expect_near(linnet::linear(x, weight, tensor({10, 20, 30}, {3})), {2, 3}, {11, 22, 33, 13, 24, 37});
  // The weight's layout is kept: the second use must give the same.
  expect_near(linnet::linear(x, weight), {2, 3}, {1, 2, 3, 3, 4, 7});
}

TEST_P(PublicOps, LinearTakesEveryWeightFormat) {
  std::vector<float> ones(64, 1.0f);
  std::vector<float> rising(64);
  std::iota(rising.begin(), rising.end(), 0.0f);
  const Tensor x = tensor(ones, {1, 64});
  for (const Format format : {Format::f32, Format::f16, Format::bf16, Format::q8_0}) {
    const Tensor weight = tensor(rising, {1, 64}, format);
    const std::vector<float> stored = weight.to_floats();
    const float sum = std::accumulate(stored.begin(), stored.end(), 0.0f);
    expect_near(linnet::linear(x, weight), {1, 1}, {sum}, sum * 1e-2f);
  }
}

TEST_P(PublicOps, AddAddsElementByElement) {
  expect_near(linnet::add(tensor({1, 2, 3}, {3}), tensor({10, 20, 30}, {3})), {3}, {11, 22, 33});
}

TEST_P(PublicOps, RmsNormDividesByTheRootMeanSquare) {
  const Tensor out = linnet::rms_norm(tensor({3, 4}, {1, 2}), tensor({1, 2}, {2}), 0);
  const float root = std::sqrt(12.5f);
  expect_near(out, {1, 2}, {3 / root, 8 / root});
}

TEST_P(PublicOps, LayerNormHasZeroMeanAndUnitVariance) {
  expect_near(linnet::layer_norm(tensor({1, 3}, {1, 2}), {}, {}, 0), {1, 2}, {-1, 1});
  expect_near(linnet::layer_norm(tensor({1, 3}, {1, 2}), tensor({2, 2}, {2}), tensor({5, 6}, {2}), 0), {1, 2},
              {3, 8});
}

TEST_P(PublicOps, SoftmaxSumsToOneAndMasks) {
  const float infinity = std::numeric_limits<float>::infinity();
  expect_near(linnet::softmax(tensor({0, 0, -infinity, std::log(2.0f), 0, -infinity}, {2, 3})), {2, 3},
              {0.5f, 0.5f, 0, 2.0f / 3, 1.0f / 3, 0});
}

TEST_P(PublicOps, ActivationsHaveTheirKnownValues) {
  const Tensor x = tensor({0, 1, -1}, {1, 3});
  expect_near(linnet::activation(x, linnet::Activation::silu), {1, 3}, {0, 0.7310586f, -0.2689414f});
  expect_near(linnet::activation(x, linnet::Activation::gelu), {1, 3}, {0, 0.8413447f, -0.1586553f});
  expect_near(linnet::activation(x, linnet::Activation::gelu_tanh), {1, 3}, {0, 0.8411920f, -0.1588080f});
}

TEST_P(PublicOps, GatedActivationMultipliesGateAndValue) {
  expect_near(linnet::gated_activation(tensor({1, 0, 10, 20}, {1, 4}), linnet::Activation::silu), {1, 2},
              {7.310586f, 0});
}

TEST_P(PublicOps, RopeRotatesPairsByThePosition) {
  const Tensor x = tensor({1, 0, 1, 0}, {2, 1, 2});
  const float c = std::cos(3.0f), s = std::sin(3.0f);
  expect_near(linnet::rope(x, integers({0, 3})), {2, 1, 2}, {1, 0, c, s});
  const Tensor wide = tensor({1, 2, 0, 0}, {1, 1, 4});
  const float c2 = std::cos(0.03f), s2 = std::sin(0.03f);
  expect_near(linnet::rope(wide, integers({3}), {.layout = linnet::RopePairs::halves}), {1, 1, 4},
              {c, 2 * c2, s, 2 * s2});
  expect_near(linnet::rope(wide, integers({3}), {.pairs = 1}), {1, 1, 4}, {c - 2 * s, s + 2 * c, 0, 0});
}

TEST_P(PublicOps, AttentionIsCausalAndSharesKeysBetweenHeads) {
  // Keys of zeros: every visible token weighs the same.
  const Tensor q = tensor({1, 1, 1, 1, 1, 1, 1, 1}, {2, 2, 2});
  const Tensor k = tensor(std::vector<float>(6, 0.0f), {3, 1, 2});
  const Tensor v = tensor({0, 0, 2, 4, 4, 8}, {3, 1, 2});
  expect_near(linnet::attention(q, k, v), {2, 4}, {1, 2, 1, 2, 2, 4, 2, 4});
}

TEST_P(PublicOps, AttentionSeesTokensBeyondOnePage) {
  constexpr uint32_t kTokens = 150;
  std::vector<float> values(kTokens);
  std::iota(values.begin(), values.end(), 0.0f);
  const Tensor out =
      linnet::attention(tensor({1}, {1, 1, 1}), tensor(std::vector<float>(kTokens), {kTokens, 1, 1}),
                        tensor(values, {kTokens, 1, 1}));
  expect_near(out, {1, 1}, {74.5f}, 1e-3f);
}

TEST_P(PublicOps, QuantizeKeepsWithinHalfAStep) {
  std::vector<float> values(64);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i));
  const Tensor out = linnet::quantize(tensor(values, {2, 32}));
  EXPECT_EQ(out.format(), Format::q8_a);
  expect_near(out, {2, 32}, values, 0.5f / 127 + 1e-6f);
}

TEST_P(PublicOps, ShapesThatDoNotFitAreNamed) {
  using enum linnet::ErrorKind;
  const Tensor x = tensor({1, 2, 3, 4}, {2, 2});
  expect_error(usage, "[rms_norm] weight: expected [2], got [3]", [&] {
    (void)linnet::rms_norm(x, tensor({1, 2, 3}, {3}));
  });
  expect_error(usage, "[add] b: expected [2, 2], got [4]", [&] {
    (void)linnet::add(x, tensor({1, 2, 3, 4}, {4}));
  });
  expect_error(usage, "[linear] weight", [&] { (void)linnet::linear(x, tensor({1, 2, 3}, {1, 3})); });
  expect_error(usage, "[linear] weight: expected a matrix", [&] { (void)linnet::linear(x, integers({1})); });
  expect_error(usage, "[linear] x: expected a tensor, got none", [&] { (void)linnet::linear({}, x); });
  expect_error(usage, "[softmax] x", [&] { (void)linnet::softmax({}); });
  expect_error(usage, "[rope] x: expected 3 dimensions", [&] { (void)linnet::rope(x, integers({0, 1})); });
  expect_error(usage, "[attention] k", [&] {
    (void)linnet::attention(tensor({1, 2}, {2, 1, 1}), tensor({1}, {1, 1, 1}), x);
  });
  expect_error(usage, "[quantize] x: expected rows of a multiple of 32", [&] { (void)linnet::quantize(x); });
  expect_error(usage, "even number of columns", [&] {
    (void)linnet::gated_activation(tensor({1}, {1, 1}), linnet::Activation::silu);
  });
  expect_error(usage, "is none", [&] { (void)linnet::activation(x, static_cast<linnet::Activation>(9)); });
}

TEST_P(PublicOps, MixingDevicesIsAnErrorThatSaysSo) {
  const auto other = linnet::open_device("reference");
  const Tensor here = tensor({1, 2}, {2});
  expect_error(linnet::ErrorKind::usage, "device", [&] { (void)linnet::add(here, here.to(other)); });
  expect_error(linnet::ErrorKind::usage, "to(device)", [&] { (void)linnet::add(here, here.to(other)); });
  expect_near(linnet::add(here.to(other), here.to(other)), {2}, {2, 4});
}

TEST_P(PublicOps, RunOnTheDeviceWhereTheTensorsLive) {
  const linnet::Receipt before = device().receipt();
  const Tensor out = linnet::softmax(tensor({1, 2}, {1, 2}));
  EXPECT_EQ(out.device(), device());
  const linnet::Receipt after = device().receipt();
  EXPECT_EQ(after.count(), before.count() + 1);
  EXPECT_EQ(after.backend, GetParam());
}

}  // namespace
