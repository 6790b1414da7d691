// Lowering: what a device may answer for an op, and what becomes of the program.
#include <gtest/gtest.h>

#include "program/lower.h"
#include "program/message.h"

namespace linnet {
namespace {

// norm_linear, then an addition.
struct Recorded {
  Recorder recorder;
  Value x = recorder.input({4, 32}, Format::f32, "x");
  Value norm = recorder.weight({Dim(32)}, Format::f32, "norm");
  Value weight = recorder.weight({32, 32}, Format::q8_0, "weight");
  Value product = norm_linear(recorder, x, norm, 1e-5f, weight, {}, "product");
  Value out = recorder.output({4, 32}, Format::compute, "out");
  Program program;
  Recorded() {
    recorder.record(Add{.a = product, .b = x, .out = out});
    program = recorder.take();
  }
};

std::vector<std::string> names(const Program& program) {
  std::vector<std::string> all;
  for (const Op& op : program.ops) all.emplace_back(op_name(op));
  return all;
}

Lowered keep_all(const Op&, Recorder&) {
  return Lowered::keep();
}
Lowered expand_fused(const Op& op, Recorder&) {
  return std::visit([]<class T>(const T&) { return Fused<T> ? Lowered::expand() : Lowered::keep(); }, op);
}

TEST(Lower, KeepsOpsAndResolvesFormats) {
  const Recorded recorded;
  const Program lowered = lower(recorded.program, {.activations = Format::f16}, keep_all);
  EXPECT_EQ(names(lowered), (std::vector<std::string>{"norm_linear", "add"}));
  EXPECT_EQ(lowered.format(recorded.out), Format::f16);
  EXPECT_EQ(lowered.values.size(), recorded.program.values.size());
}

TEST(Lower, ExpandsAndKeepsTheIdsOfRecordedValues) {
  const Recorded recorded;
  const Program lowered = lower(recorded.program, {.activations = Format::bf16}, expand_fused);
  EXPECT_EQ(names(lowered), (std::vector<std::string>{"rms_norm", "linear", "add"}));
  ASSERT_EQ(lowered.values.size(), recorded.program.values.size() + 1);
  for (uint32_t id = 0; id < recorded.program.values.size(); ++id) {
    EXPECT_EQ(lowered.values[id].name, recorded.program.values[id].name);
    EXPECT_EQ(lowered.values[id].shape, recorded.program.values[id].shape);
  }
  EXPECT_EQ(std::get<Linear>(lowered.ops[1]).out, recorded.product);
  EXPECT_EQ(lowered.values.back().format, Format::bf16);  // of the expansion's own scratch
  check(lowered);
}

TEST(Lower, ExpandsThroughSeveralLevels) {
  Recorder recorder;
  const Value x = recorder.input({4, 32}, Format::f32, "x");
  const Value norm = recorder.weight({Dim(32)}, Format::f32, "norm");
  const Value weight = recorder.weight({64, 32}, Format::q8_0, "weight");
  static_cast<void>(norm_gated_linear(recorder, x, norm, 1e-5f, weight, {}, ActivationKind::silu));
  const Program program = recorder.take();
  // The device has the inner fused op and not the outer one.
  const Program lowered = lower(program, {}, [](const Op& op, Recorder&) {
    return std::holds_alternative<NormGatedLinear>(op) ? Lowered::expand() : Lowered::keep();
  });
  EXPECT_EQ(names(lowered), (std::vector<std::string>{"norm_linear", "gated_activation"}));
  EXPECT_EQ(names(lower(program, {}, expand_fused)),
            (std::vector<std::string>{"rms_norm", "linear", "gated_activation"}));
}

TEST(Lower, TakesWhatTheDeviceRecordsInstead) {
  const Recorded recorded;
  const Program lowered = lower(recorded.program, {}, [](const Op& op, Recorder& into) {
    const auto* fused = std::get_if<NormLinear>(&op);
    if (fused == nullptr) return Lowered::keep();
    NormLinear integer = *fused;
    integer.input = Format::q8_a;
    into.record(integer);
    return Lowered::replaced();
  });
  EXPECT_EQ(names(lowered), (std::vector<std::string>{"norm_linear", "add"}));
  EXPECT_EQ(std::get<NormLinear>(lowered.ops[0]).input, Format::q8_a);
  EXPECT_EQ(names(lower(lowered, {}, expand_fused)),
            (std::vector<std::string>{"rms_norm", "quantize", "linear", "add"}));
}

TEST(Lower, FailsWithTheDevicesReason) {
  const Recorded recorded;
  EXPECT_EQ(message_of([&] {
              static_cast<void>(lower(recorded.program, {}, [](const Op& op, Recorder&) {
                return std::holds_alternative<Add>(op) ? Lowered::unsupported("no kernel for f16")
                                                       : Lowered::keep();
              }));
            }),
            "[add] no kernel for f16");
}

TEST(Lower, RefusesToExpandAPrimitive) {
  const Recorded recorded;
  EXPECT_EQ(message_of([&] {
              static_cast<void>(
                  lower(recorded.program, {}, [](const Op&, Recorder&) { return Lowered::expand(); }));
            }),
            "[rms_norm] is a primitive and cannot be expanded");
}

TEST(Check, NamesTheOpOutsideItsDefinition) {
  Recorded recorded;
  recorded.program.values[recorded.x.id].shape = {4, 64};
  EXPECT_EQ(message_of([&] { check(recorded.program); }), "[norm_linear] norm: expected [64], got [32]");
}

}  // namespace
}  // namespace linnet
