// Whole programs: forced comparison and bisect find nothing on the reference and name the op that is broken.
#include <gtest/gtest.h>

#include <cmath>

#include "check/altered_device.h"
#include "check/bisect.h"
#include "check/bound_program.h"
#include "check/case.h"
#include "check/forced.h"
#include "check/layer.h"
#include "program/lower.h"

namespace linnet {
namespace {

// The reference keeps scratch unrounded, which reading it as floats does not show; outputs are what they
// seem.
TEST(Forced, FindsNothingInAChainOfOutputsOnTheReference) {
  CaseBuilder builder("chain");
  const Dim rows = builder.extent("rows", 5, 3);
  const Value x = builder.input({rows, 32}, Format::f32, "x");
  const Value norm = builder.weight({Dim(32)}, Format::f32, "norm");
  const Value weight = builder.weight({32, 32}, Format::q8_0, "weight");
  const Value normed = builder.output({rows, 32}, Format::f32, "normed");
  const Value product = builder.output({rows, 32}, Format::f32, "product");
  const Value sum = builder.output({rows, 32}, Format::f32, "sum");
  builder.recorder().record(RmsNorm{.x = x, .weight = norm, .out = normed});
  builder.recorder().record(Linear{.x = normed, .weight = weight, .bias = {}, .out = product});
  const Case what = builder.record(Add{.a = product, .b = x, .out = sum});
  const auto device = reference_backend().open({});
  const auto reference = reference_backend().open({});
  const ForcedReport report =
      compare_forced(*device, *reference, what.program, {}, CaseInputs(what), what.extents);
  ASSERT_EQ(report.ops.size(), 3u);
  EXPECT_EQ(report.first_failure(), nullptr);
  for (const ForcedOp& op : report.ops) {
    EXPECT_EQ(op.note, "") << op.op;
    EXPECT_FALSE(op.worst.operand.empty()) << op.op;
  }
}

TEST(Forced, NamesTheOpWhoseResultIsWrong) {
  const Layer layer;
  AlteredDevice device;
  device.alter_value = [&](Value value, std::span<float> numbers) {
    if (value == layer.attended) numbers[70] *= 1.0001f;
  };
  const auto reference = reference_backend().open({});
  const ForcedReport report =
      compare_forced(device, *reference, layer.what.program, {}, CaseInputs(layer.what), layer.what.extents);
  ASSERT_NE(report.first_failure(), nullptr);
  EXPECT_EQ(report.first_failure()->op, "attention");
  EXPECT_EQ(report.first_failure()->worst.operand, "attended");
  EXPECT_EQ(report.first_failure()->worst.index, 70u);
  // What follows was given the wrong value as its operand; its own result, computed from the right one,
  // differs too.
  EXPECT_EQ(report.ops[report.first_failure()->index + 1].op, "linear");
}

// What a fused op may round on the way follows from the options it was compiled with.
TEST(Forced, HoldsAFusedOpToWhatItsOptionsRoundInside) {
  const Case what = cases<NormLinear>().front();
  const CaseInputs inputs(what);
  const auto device = reference_backend().open({});
  for (const Format activations : {Format::f32, Format::bf16}) {
    const CompileOptions options{.activations = activations, .reuse_scratch = false};
    BoundProgram bound(*device, what.program, options, inputs);
    bound.run(what.extents);
    // As of a device that keeps the op and is off by less than it may round, were its activations BF16.
    const Program kept = lower(what.program, options, [](const Op&, Recorder&) { return Lowered::keep(); });
    const auto roughly = [&](Value value) {
      std::vector<float> numbers = bound.floats(value);
      for (float& number : numbers) number *= 1 + 0x1p-10f;
      std::vector<std::byte> bytes(bytes_of(Format::f32, numbers.size()));
      encode(Format::f32, numbers, bytes);
      return bytes;
    };
    const DeviceRun run{.device = *device,
                        .program = kept,
                        .options = options,
                        .launch = bound.launch(),
                        .extents = what.extents,
                        .before = [&](Value value) { return bound.bytes(value); },
                        .after = roughly};
    const ForcedReport report = compare_forced(run, *device, inputs);
    ASSERT_EQ(report.ops.size(), 1u);
    EXPECT_EQ(report.ops[0].op, "norm_linear");
    EXPECT_EQ(report.ops[0].note, "");
    EXPECT_EQ(report.first_failure() == nullptr, activations == Format::bf16) << report.ops[0].worst.ratio;
  }
}

TEST(Bisect, FindsNothingBetweenEqualDevices) {
  const Layer layer;
  const auto a = reference_backend().open({});
  const auto b = reference_backend().open({});
  const BisectReport report =
      bisect(layer.what.program, {*a, {}}, {*b, {}}, CaseInputs(layer.what), layer.what.extents, 0);
  EXPECT_FALSE(report.first_over.has_value());
  ASSERT_EQ(report.values.size(), 7u);
  EXPECT_EQ(report.values[0].op, "norm_qkv_rope_store");
  EXPECT_EQ(report.values[0].operand, "k_cache");
  EXPECT_EQ(report.values.back().value, "out");
  for (const ValueDifference& value : report.values) EXPECT_GT(value.largest_magnitude, 0) << value.value;
}

TEST(Bisect, NamesTheFirstOpThatDiffers) {
  const Layer layer;
  AlteredDevice a;
  a.alter_value = [&](Value value, std::span<float> numbers) {
    if (value == layer.gated) numbers[5] += 0.5f;
    if (value == layer.out) numbers[5] = std::nanf("");
  };
  const auto b = reference_backend().open({});
  const BisectReport report =
      bisect(layer.what.program, {a, {}}, {*b, {}}, CaseInputs(layer.what), layer.what.extents, 1e-6);
  ASSERT_TRUE(report.first_over.has_value());
  EXPECT_EQ(report.values[*report.first_over].value, "gated");
  EXPECT_EQ(report.values[*report.first_over].op, "norm_gated_linear");
  EXPECT_NEAR(report.values[*report.first_over].largest, 0.5, 1e-6);
  EXPECT_TRUE(std::isinf(report.values.back().relative));
}

}  // namespace
}  // namespace linnet
