// Values, views, extents and shapes as the Recorder makes them.
#include <gtest/gtest.h>

#include <sstream>

#include "program/message.h"
#include "program/recorder.h"
#include "program/weight_spec.h"

namespace linnet {
namespace {

TEST(Shape, IsAlsoAMatrix) {
  const Shape vector{Dim(7)};
  EXPECT_EQ(vector.rows().max, 1u);
  EXPECT_EQ(vector.columns(), 7u);
  const Shape counted{Dim(7, 0)};
  EXPECT_EQ(counted.rows().max, 7u);
  EXPECT_EQ(counted.columns(), 1u);
  const Shape cube{3, 4, 5};
  EXPECT_EQ(cube.rows().max, 3u);
  EXPECT_EQ(cube.columns(), 20u);
  EXPECT_EQ(concat(Shape{Dim(64, 1), 5}), "[≤64, 5]");
  EXPECT_EQ(message_of([] { Shape shape{1, 2, 3, 4, 5}; }), "[shape] rank: expected at most 4, got 5");
}

TEST(Recorder, RefusesEmptyValuesAndPartialBlocks) {
  Recorder recorder;
  EXPECT_EQ(message_of([&] {
              recorder.input({0, 4}, Format::f32, "x");
            }),
            "[recorder] x: expected no empty dimension, got [0, 4]");
  EXPECT_EQ(message_of([&] {
              recorder.weight({4, 48}, Format::q8_0, "w");
            }),
            "[recorder] w: rows of q8_0 must be multiples of 32, got [4, 48]");
}

TEST(Recorder, RefusesANinthExtent) {
  Recorder recorder;
  for (int8_t i = 0; i < 8; ++i) EXPECT_EQ(recorder.extent("e", 4).extent, i);
  EXPECT_EQ(message_of([&] { static_cast<void>(recorder.extent("e", 4)); }),
            "[recorder] more than 8 extents");
}

TEST(Recorder, MakesViewsOfColumns) {
  Recorder recorder;
  const Dim rows = recorder.extent("rows", 6);
  const Value base = recorder.scratch({rows, 20}, Format::f32, "base");
  const Value view = recorder.view(base, 5, {rows, 3, 4}, "view");
  const Program& program = recorder.program();
  EXPECT_EQ(program.base(view), base);
  EXPECT_EQ(program.row_stride(view), 20u);
  EXPECT_EQ(program.bytes(view), 0u);
  EXPECT_EQ(program.bytes(base), 6u * 20 * 4);
  EXPECT_EQ(program.info(view).storage, Storage::scratch);
  EXPECT_EQ(message_of([&] {
              recorder.view(base, 9, {rows, 3, 4});
            }),
            "[view] columns 9 to 21 do not lie in [≤6, 20]");
  EXPECT_EQ(message_of([&] {
              recorder.view(base, 0, {6, 4});
            }),
            "[view] shape: expected the rows of [≤6, 20], got [6, 4]");
  EXPECT_EQ(message_of([&] { recorder.view(view, 0, {rows, 4}); }), "[view] base: expected no view");
  const Value codes = recorder.scratch({rows, 64}, Format::q8_a);
  EXPECT_EQ(message_of([&] {
              recorder.view(codes, 0, {rows, 32});
            }),
            "[view] base: expected a plain format, got q8_a");
}

TEST(Recorder, NamesScratchWithThePrefix) {
  Recorder recorder;
  recorder.set_prefix("layer 3 ");
  const Value x = recorder.input({1, 4}, Format::f32, "x");
  const Value weight = recorder.weight({Dim(4)}, Format::f32, "norm");
  const Value out = rms_norm(recorder, x, weight, 1e-5f, "normed");
  EXPECT_EQ(recorder.program().find("layer 3 normed"), out);
  EXPECT_EQ(recorder.program().find("x"), x);
  EXPECT_FALSE(recorder.program().find("normed"));
}

TEST(Program, PrintsOneLineForEachOp) {
  Recorder recorder;
  const Value x = recorder.input({1, 4}, Format::f32, "x");
  const Value sum = add(recorder, x, x);
  static_cast<void>(sum);
  std::ostringstream out;
  out << recorder.program();
  EXPECT_EQ(out.str(), "0 add  a=x [1, 4] f32  b=x [1, 4] f32  → out=%1 [1, 4] f32\n");
}

TEST(WeightSpec, StacksPartsAlongTheRows) {
  const WeightSpec matrix{.name = "qkv",
                          .parts = {{.tensor = "q", .shape = {8, 4}}, {.tensor = "k", .shape = {2, 4}}}};
  EXPECT_EQ(matrix.shape(), (Shape{10, 4}));
  const WeightSpec bias{.name = "b",
                        .parts = {{.tensor = "q", .shape = {Dim(8)}}, {.tensor = "k", .shape = {Dim(2)}}}};
  EXPECT_EQ(bias.shape(), (Shape{Dim(10)}));
}

}  // namespace
}  // namespace linnet
