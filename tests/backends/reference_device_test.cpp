// The reference as a device: sticky errors, extents, footprint, receipt, weights in parts and of another
// format.
#include <gtest/gtest.h>

#include "backends/one_op_run.h"
#include "check/compare.h"
#include "device/host_info.h"

namespace linnet {
namespace {

struct Lookup {
  Recorder recorder;
  Dim rows = recorder.extent("rows", 4);
  Value table = recorder.weight({3, 2}, Format::f32, "table");
  Value ids = recorder.input({rows}, Format::i32, "ids");
  Value out = recorder.output({rows, 2}, Format::f32, "out");
  Program program;
  Lookup() {
    recorder.record(Embedding{.table = table, .ids = ids, .out = out});
    program = recorder.take();
  }
};

std::string error_of(const Lookup& lookup, std::vector<int32_t> ids, std::vector<uint32_t> extents) {
  GivenValues given(lookup.program);
  given.integers("ids", std::move(ids));
  ReferenceRun run(lookup.program, given, std::move(extents));
  try {
    static_cast<void>(run.floats(lookup.out));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(ReferenceDevice, KeepsTheFirstFailureAndNamesOpOperandAndValue) {
  const Lookup lookup;
  EXPECT_EQ(error_of(lookup, {0, 1, 3, -1}, {4}), "[embedding] ids[2]: expected a number in [0, 3), got 3");
  EXPECT_EQ(error_of(lookup, {0, 1, 3, -1}, {2}), "");
  EXPECT_EQ(error_of(lookup, {0, 1, 2, 0}, {5}), "[run] rows: expected at most 4, got 5");
  EXPECT_EQ(error_of(lookup, {0, 1, 2, 0}, {}), "[run] expected 1 extents, got 0");
}

TEST(ReferenceDevice, FailsEveryReadAfterAFailure) {
  const auto device = reference_backend().open({});
  const Lookup lookup;
  GivenValues given(lookup.program);
  given.integers("ids", {7});
  BoundProgram bound(*device, lookup.program, {}, given);
  bound.run(std::vector<uint32_t>{1});
  EXPECT_THROW(static_cast<void>(bound.bytes(lookup.out)), Error);
  bound.run(std::vector<uint32_t>{0});
  EXPECT_THROW(static_cast<void>(bound.bytes(lookup.ids)), Error);
}

TEST(ReferenceDevice, CountsWhatItRan) {
  const Lookup lookup;
  const GivenValues given(lookup.program);
  ReferenceRun run(lookup.program, given, {3});
  const Receipt receipt = run.device().receipt();
  EXPECT_EQ(receipt.runs, 1u);
  ASSERT_EQ(receipt.lines.size(), 1u);
  EXPECT_EQ(receipt.lines[0].op, "embedding");
  EXPECT_EQ(receipt.lines[0].count, 1u);
  EXPECT_EQ(receipt.lines[0].bytes, 3u * (4 + 8 + 8));  // id, row of the table, row of the output
  EXPECT_EQ(receipt.device, "float64 reference on " + host_info().processor);
}

TEST(ReferenceDevice, ExpandsFusedOpsAndStatesWhatItAllocates) {
  Recorder recorder;
  const Value x = recorder.input({2, 32}, Format::f32, "x");
  const Value norm = recorder.weight({Dim(32)}, Format::f32, "norm");
  const Value weight = recorder.weight({6, 32}, Format::q8_0, "weight");
  const Value out = recorder.output({2, 3}, Format::f32, "out");
  recorder.record(NormGatedLinear{.x = x, .norm = norm, .weight = weight, .bias = {}, .out = out});
  const Program program = recorder.take();
  const auto device = reference_backend().open({});
  const auto executable = device->compile(program, {.reuse_scratch = false});
  std::vector<std::string> names;
  for (const Op& op : executable->program().ops) names.emplace_back(op_name(op));
  EXPECT_EQ(names, (std::vector<std::string>{"rms_norm", "linear", "gated_activation"}));
  const Footprint footprint = device->footprint(program, {.reuse_scratch = false});
  EXPECT_EQ(footprint.weights, 32u * 4 + 6 * 34);
  EXPECT_EQ(footprint.state, 2u * 32 * 4 + 2 * 3 * 4);
  EXPECT_EQ(footprint.scratch,
            2u * 32 * 8 + 128);  // float64: the normed rows, and 2 · 6 numbers in whole lines
}

TEST(ReferenceDevice, ConvertsAndStacksParts) {
  Recorder recorder;
  const Value x = recorder.input({1, 2}, Format::f32, "x");
  const Value weight = recorder.weight({3, 2}, Format::f16, "weight");
  const Value out = recorder.output({1, 3}, Format::f32, "out");
  recorder.record(Linear{.x = x, .weight = weight, .bias = {}, .out = out});
  const Program program = recorder.take();
  // The file has f32, in two tensors; the program wants f16.
  struct Inputs : ProgramInputs {
    [[nodiscard]] Weight weight(Value) const override {
      const WeightSpec as_stored{
          .name = "w", .parts = {{.tensor = "a", .shape = {2, 2}}, {.tensor = "b", .shape = {1, 2}}}};
      const std::vector<float> numbers{1, 2, 3, 4, 5, 1.0f + 0x1p-12f};
      std::vector<std::byte> bytes(numbers.size() * sizeof(float));
      std::memcpy(bytes.data(), numbers.data(), bytes.size());
      WeightSpec wanted = as_stored;
      wanted.format = Format::f16;
      return {wanted, source_of(as_stored, bytes)};
    }
    [[nodiscard]] std::vector<std::byte> contents(Value, const ValueInfo&) const override {
      const float numbers[2] = {1, 10};
      std::vector<std::byte> bytes(sizeof numbers);
      std::memcpy(bytes.data(), numbers, sizeof numbers);
      return bytes;
    }
  };
  const auto device = reference_backend().open({});
  const Inputs inputs;
  BoundProgram bound(*device, program, {}, inputs);
  bound.run({});
  EXPECT_EQ(bound.floats(out), (std::vector<float>{21, 43, 15}));
}

TEST(ReferenceDevice, RefusesBuffersThatDoNotFit) {
  const Lookup lookup;
  const auto device = reference_backend().open({});
  const auto executable = device->compile(lookup.program, {});
  const auto scratch = device->allocate_scratch(executable->plan().scratch_bytes);
  EXPECT_THROW(static_cast<void>(executable->bind({}, *scratch)), Error);
}

TEST(HostInfo, KnowsProcessorAndMemory) {
  const HostInfo info = host_info();
  EXPECT_FALSE(info.processor.empty());
  EXPECT_GT(info.total_memory, size_t{1} << 26);
  EXPECT_GT(info.available_memory, 0u);
  EXPECT_LE(info.available_memory, info.total_memory);
}

}  // namespace
}  // namespace linnet
