#include "format/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <vector>

#include "base/error.h"

namespace linnet {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> through(Format format, const std::vector<float>& numbers) {
  std::vector<std::byte> bytes(bytes_of(format, numbers.size()));
  encode(format, numbers, bytes);
  std::vector<float> back(numbers.size());
  decode(format, bytes, back);
  return back;
}

template <class Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Format, KnowsItsNames) {
  for (const Format format : {Format::f32, Format::f16, Format::bf16, Format::q8_0, Format::q8_a, Format::i32,
                              Format::compute, Format::kv}) {
    std::ostringstream out;
    out << format;
    EXPECT_EQ(format_named(out.str()), format);
  }
  EXPECT_EQ(format_named("q9_9"), std::nullopt);
}

TEST(Format, CountsBytes) {
  EXPECT_EQ(bytes_of(Format::f32, 3), 12u);
  EXPECT_EQ(bytes_of(Format::f16, 3), 6u);
  EXPECT_EQ(bytes_of(Format::q8_0, 64), 68u);
  EXPECT_EQ(bytes_of(Format::q8_a, 64), 80u);
  EXPECT_EQ(message_of([] { static_cast<void>(bytes_of(Format::q8_0, 33)); }),
            "[q8_0] 33 elements are not whole blocks of 32");
  EXPECT_EQ(message_of([] { static_cast<void>(bytes_of(Format::compute, 1)); }),
            "[compute] has no size before it is resolved");
  EXPECT_NE(message_of([] { static_cast<void>(bytes_of(Format::f32, ~size_t{0})); }), "no error");
}

TEST(Format, RefusesTooFewBytes) {
  std::vector<std::byte> bytes(7);
  std::vector<float> numbers(2);
  EXPECT_EQ(message_of([&] { decode(Format::f32, bytes, numbers); }), "[f32] 2 elements need 8 bytes, got 7");
  EXPECT_EQ(message_of([&] { encode(Format::f32, numbers, bytes); }), "[f32] 2 elements need 8 bytes, got 7");
}

TEST(Format, F32IsCopied) {
  const std::vector<float> numbers{0, -0.0f, 1e-45f, -3.5f, kInfinity, std::numeric_limits<float>::max()};
  EXPECT_EQ(through(Format::f32, numbers), numbers);
  EXPECT_TRUE(std::isnan(through(Format::f32, {std::nanf("")})[0]));
}

TEST(Format, F16RoundsAndKeepsSpecialNumbers) {
  const std::vector<float> got =
      through(Format::f16, {1, 1 + 0x1p-11f, 65519, 65520, 0x1p-24f, -kInfinity, -0.0f});
  EXPECT_EQ(got, (std::vector<float>{1, 1, 65504, kInfinity, 0x1p-24f, -kInfinity, -0.0f}));
  EXPECT_TRUE(std::isnan(through(Format::f16, {std::nanf("")})[0]));
}

TEST(Format, Bf16RoundsAndKeepsSpecialNumbers) {
  const std::vector<float> got =
      through(Format::bf16, {1, 1 + 0x1p-8f, 1 + 3 * 0x1p-8f, 1e-40f, kInfinity, 3e38f});
  EXPECT_EQ(got[0], 1.0f);
  EXPECT_EQ(got[1], 1.0f);
  EXPECT_EQ(got[2], 1.0f + 0x1p-6f);
  EXPECT_NEAR(static_cast<double>(got[3]), 1e-40, 5e-41);  // a denormal stays one
  EXPECT_EQ(got[4], kInfinity);
  EXPECT_NEAR(static_cast<double>(got[5]), 3e38, 3e38 / 256);
  EXPECT_TRUE(std::isnan(through(Format::bf16, {std::nanf("")})[0]));
}

TEST(Format, I32IsItsFloatValue) {
  EXPECT_EQ(through(Format::i32, {0, -1, 16777216, -5}), (std::vector<float>{0, -1, 16777216, -5}));
}

TEST(Format, DecodesBytesThatAreNotAligned) {
  const float number = 1.5f;
  std::vector<std::byte> bytes(5);
  std::memcpy(bytes.data() + 1, &number, sizeof number);
  std::vector<float> got(1);
  decode(Format::f32, std::span(bytes).subspan(1), got);
  EXPECT_EQ(got[0], 1.5f);
}

}  // namespace
}  // namespace linnet
