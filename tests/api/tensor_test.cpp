#include <cmath>
#include <limits>

#include "api/each_device.h"
#include "api/expect_error.h"

namespace {

using linnet::Format;
using linnet::Tensor;

constexpr Format kFormats[] = {Format::f32, Format::f16, Format::bf16, Format::q8_0, Format::q8_a};

std::vector<float> some_values(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<float>(i) * 0.7f) * 3.0f;
  return values;
}

class PublicTensorOn : public OnEachDevice {};
LINNET_ON_EACH_DEVICE(PublicTensorOn);

TEST_P(PublicTensorOn, GoesToThatDeviceAndBackBitForBitInEveryFormat) {
  const auto cpu = linnet::open_device("cpu");
  for (const Format format : kFormats) {
    const Tensor here = Tensor::from_floats(some_values(5 * 64), {5, 64}, cpu, format);
    const Tensor there = here.to(device());
    const Tensor back = there.to(cpu);
    EXPECT_EQ(there.device(), device());
    EXPECT_EQ(back.device(), cpu);
    EXPECT_EQ(here.to_bytes(), there.to_bytes()) << to_string(format);
    EXPECT_EQ(here.to_bytes(), back.to_bytes()) << to_string(format);
    EXPECT_EQ(here.to_floats(), back.to_floats()) << to_string(format);
    EXPECT_EQ(back.format(), format);
    EXPECT_EQ(back.shape(), (linnet::Shape{5, 64}));
  }
}

TEST_P(PublicTensorOn, KeepsEveryBitPatternOfSixteenBits) {
  std::vector<uint16_t> patterns(1 << 16);
  for (size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<uint16_t>(i);
  const auto bytes = std::as_bytes(std::span(patterns));
  const auto cpu = linnet::open_device("cpu");
  for (const Format format : {Format::f16, Format::bf16}) {
    const Tensor here = Tensor::from_bytes(bytes, {256, 256}, cpu, format);
    EXPECT_TRUE(std::ranges::equal(here.to(device()).to(cpu).to_bytes(), bytes)) << to_string(format);
  }
}

TEST(PublicTensor, GivesFloatsBackExactlyAndOthersRounded) {
  const auto cpu = linnet::open_device("cpu");
  const std::vector<float> values = some_values(64);
  EXPECT_EQ(Tensor::from_floats(values, {64}, cpu).to_floats(), values);
  const std::vector<float> half = Tensor::from_floats(values, {2, 32}, cpu, Format::f16).to_floats();
  const std::vector<float> coded = Tensor::from_floats(values, {2, 32}, cpu, Format::q8_0).to_floats();
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(half[i], values[i], std::abs(values[i]) * 0x1p-11f);
    EXPECT_NEAR(coded[i], values[i], 3.0f / 127);
  }
}

TEST_P(PublicTensorOn, GivesIntegersBack) {
  const auto cpu = linnet::open_device("cpu");
  const std::vector<int32_t> values = {0, -1, std::numeric_limits<int32_t>::max(),
                                       std::numeric_limits<int32_t>::min()};
  const Tensor tensor = Tensor::from_integers(values, {4}, cpu);
  EXPECT_EQ(tensor.to_integers(), values);
  EXPECT_EQ(tensor.to(device()).to_integers(), values);
}

TEST(PublicTensor, RefusesWhatDoesNotHoldTogether) {
  const auto cpu = linnet::open_device("cpu");
  const std::vector<float> six(6, 1.0f);
  const auto make = [&](linnet::Shape shape, Format format = Format::f32) {
    return [=, &cpu, &six] { (void)Tensor::from_floats(six, shape, cpu, format); };
  };
  using enum linnet::ErrorKind;
  expect_error(usage, "1 to 4 dimensions", make({}));
  expect_error(usage, "1 to 4 dimensions", make({1, 1, 1, 1, 6}));
  expect_error(usage, "empty dimension", make({0, 6}));
  expect_error(usage, "expected 8 for the shape [2, 4], got 6", make({2, 4}));
  expect_error(usage, "does not fit in 64 bits", make({UINT32_MAX, UINT32_MAX, UINT32_MAX}));
  expect_error(usage, "multiples of 32", make({6}, Format::q8_0));
  expect_error(usage, "from_integers", make({6}, Format::i32));
  expect_error(usage, "is none", make({6}, static_cast<Format>(77)));
  expect_error(usage, "expected 24 for the shape [6] in f32, got 3",
               [&] { (void)Tensor::from_bytes(std::vector<std::byte>(3), {6}, cpu, Format::f32); });
}

TEST(PublicTensor, NoTensorIsAnErrorAndNoCrash) {
  const Tensor none;
  EXPECT_FALSE(none);
  expect_error(linnet::ErrorKind::usage, "got none", [&] { (void)none.shape(); });
  expect_error(linnet::ErrorKind::usage, "got none", [&] { (void)none.to_floats(); });
  expect_error(linnet::ErrorKind::usage, "got none", [&] { (void)none.to(linnet::open_device("cpu")); });
  expect_error(linnet::ErrorKind::usage, "expected i32", [] {
    (void)Tensor::from_floats(std::vector<float>(2), {2}, linnet::open_device("cpu")).to_integers();
  });
}

}  // namespace
