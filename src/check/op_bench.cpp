#include "check/op_bench.h"

#include <algorithm>
#include <cmath>

#include "check/bound_program.h"
#include "check/cases/batch.h"

namespace linnet {
namespace {

constexpr uint32_t kWidth = 2048;
constexpr uint32_t kMiddle = 5632;
constexpr uint32_t kVocabulary = 32000;
constexpr uint32_t kHeads = 32;
constexpr uint32_t kKvHeads = 4;
constexpr uint32_t kHeadWidth = 64;

// Weights of one bench case together: past the last cache of a server, small enough for a laptop.
constexpr size_t kStreamedBytes = size_t{128} << 20;

// Short sequences of numbers, repeated: filling a gigabyte with normal numbers would take longer than
// measuring.
Fill cheap(float scale) {
  std::vector<float> numbers;
  for (uint64_t i = 0; i < 509; ++i) numbers.push_back(scale * normal_number(7, i));
  return Fill::values(std::move(numbers));
}

uint32_t copies_for(Format format, uint32_t n, uint32_t k) {
  const size_t bytes = bytes_of(format, size_t{n} * k);
  return static_cast<uint32_t>(std::clamp<size_t>(kStreamedBytes / bytes, 1, 32));
}

// `record` adds one op; it is called `copies` times.
template <class RecordOne>
BenchCase bench_case(std::string name, uint32_t copies, double flops, RecordOne&& record) {
  CaseBuilder builder(std::move(name));
  Op last = record(builder);
  for (uint32_t i = 1; i < copies; ++i) {
    builder.recorder().record(last);
    last = record(builder);
  }
  return {.what = builder.record(last), .flops = flops, .copies = copies};
}

BenchCase product(uint32_t rows, uint32_t n, uint32_t k, Format format, bool integers) {
  return bench_case(concat("linear/", format, integers ? "_q8_a_" : "_", rows, "x", n, "x", k),
                    rows == 1 ? copies_for(format, n, k) : 1, 2.0 * rows * n * k, [&](CaseBuilder& builder) {
                      const Value x = builder.input({rows, k}, integers ? Format::q8_a : Format::f32, "x");
                      const Value weight = builder.weight({n, k}, format, "weight", cheap(0.02f));
                      const Value out = builder.output({rows, n}, Format::f32, "out");
                      return Linear{.x = x, .weight = weight, .bias = {}, .out = out};
                    });
}

BenchCase gated_stage(uint32_t rows, Format format, Format input) {
  return bench_case(
      concat("norm_gated_linear/", format, "_", input, "_", rows, "x", kMiddle, "x", kWidth),
      rows == 1 ? copies_for(format, 2 * kMiddle, kWidth) : 1, 4.0 * rows * kMiddle * kWidth,
      [&](CaseBuilder& builder) {
        const Value x = builder.input({rows, kWidth}, Format::f32, "x");
        const Value norm = builder.weight({Dim(kWidth)}, Format::f32, "norm");
        const Value weight = builder.weight({2 * kMiddle, kWidth}, format, "weight", cheap(0.02f));
        const Value out = builder.output({rows, kMiddle}, Format::f32, "out");
        return NormGatedLinear{
            .x = x, .norm = norm, .weight = weight, .bias = {}, .out = out, .input = input};
      });
}

BenchCase attended(uint32_t rows, uint32_t first) {
  const uint32_t pages = (first + rows) / kPageTokens + 1;
  const double seen = rows * (first + (rows + 1) / 2.0);
  return bench_case(
      concat("attention/", rows, "rows_at", first), 1, 4.0 * seen * kHeads * kHeadWidth,
      [&](CaseBuilder& builder) {
        const Batch batch{.slots = 1, .pages_a_slot = pages, .sequences = {{0, first, rows}}};
        const BatchValues values = add_batch(builder, batch);
        const Value q = builder.input({values.rows, kHeads, kHeadWidth}, Format::f32, "q");
        const Shape cache{batch.pages(), kKvHeads, kPageTokens, kHeadWidth};
        const Value k_cache = builder.state(cache, Format::f32, "k_cache");
        const Value v_cache = builder.state(cache, Format::f32, "v_cache");
        const Value out = builder.output({values.rows, kHeads * kHeadWidth}, Format::f32, "out");
        return Attention{.q = q,
                         .paging = values.paging,
                         .k_cache = k_cache,
                         .v_cache = v_cache,
                         .out = out,
                         .scale = 0.125f};
      });
}

BenchCase normed(uint32_t rows) {
  return bench_case(concat("rms_norm/", rows, "x", kWidth), 16, 4.0 * rows * kWidth,
                    [&](CaseBuilder& builder) {
                      const Value x = builder.input({rows, kWidth}, Format::f32, "x");
                      const Value weight = builder.weight({Dim(kWidth)}, Format::f32, "weight");
                      const Value out = builder.output({rows, kWidth}, Format::f32, "out");
                      return RmsNorm{.x = x, .weight = weight, .out = out};
                    });
}

BenchCase gated(uint32_t rows) {
  return bench_case(concat("gated_activation/", rows, "x", kMiddle), 16, 6.0 * rows * kMiddle,
                    [&](CaseBuilder& builder) {
                      const Value x = builder.input({rows, 2 * kMiddle}, Format::f32, "x");
                      const Value out = builder.output({rows, kMiddle}, Format::f32, "out");
                      return GatedActivation{.x = x, .out = out};
                    });
}

BenchCase quantized(uint32_t rows) {
  return bench_case(concat("quantize/", rows, "x", kWidth), 16, 3.0 * rows * kWidth,
                    [&](CaseBuilder& builder) {
                      const Value x = builder.input({rows, kWidth}, Format::f32, "x");
                      const Value out = builder.output({rows, kWidth}, Format::q8_a, "out");
                      return Quantize{.x = x, .out = out};
                    });
}

}  // namespace

std::vector<BenchCase> bench_cases() {
  std::vector<BenchCase> all;
  for (const Format format : {Format::q8_0, Format::f16, Format::f32}) {
    for (const bool integers : {true, false}) {
      if (integers && format != Format::q8_0) continue;
      for (const uint32_t rows : {1u, 128u}) {
        all.push_back(product(rows, kWidth + 2 * kKvHeads * kHeadWidth, kWidth, format, integers));
        all.push_back(product(rows, kWidth, kMiddle, format, integers));
        all.push_back(product(rows, 2 * kMiddle, kWidth, format, integers));
      }
      all.push_back(product(1, kVocabulary, kWidth, format, integers));
    }
    for (const uint32_t rows : {1u, 128u}) {
      all.push_back(gated_stage(rows, format, format == Format::q8_0 ? Format::q8_a : Format::compute));
    }
  }
  all.push_back(attended(1, 127));
  all.push_back(attended(1, 2047));
  all.push_back(attended(128, 0));
  for (const uint32_t rows : {1u, 128u}) {
    all.push_back(normed(rows));
    all.push_back(gated(rows));
    all.push_back(quantized(rows));
  }
  return all;
}

BenchResult bench(Device& device, const BenchCase& bench_case, const BenchOptions& options) {
  BenchResult result{.name = bench_case.what.name, .flops = bench_case.flops};
  result.skipped = unsupported_reason(device, bench_case.what.program, bench_case.what.options);
  if (!result.skipped.empty()) return result;
  const CaseInputs inputs(bench_case.what);
  BoundProgram bound(device, bench_case.what.program, bench_case.what.options, inputs);
  Value output;
  for_each_operand(bench_case.what.program.ops.back(), [&](Value value, Access access, std::string_view) {
    if (access != Access::read) output = value;
  });
  const auto run_once = [&] {
    const Receipt before = device.receipt();
    bound.run(bench_case.what.extents);
    static_cast<void>(bound.bytes(output));  // waits, and brings the device's error here
    return device.receipt().since(before);
  };
  double spent = run_once().seconds();  // the first run warms up
  std::vector<double> seconds;
  while (seconds.size() < options.repetitions && (seconds.size() < 3 || spent < options.at_most_seconds)) {
    const Receipt receipt = run_once();
    seconds.push_back(receipt.seconds() / bench_case.copies);
    result.bytes = static_cast<double>(receipt.bytes()) / bench_case.copies;
    spent += receipt.seconds();
  }
  std::ranges::sort(seconds);
  result.seconds = seconds[seconds.size() / 2];
  return result;
}

}  // namespace linnet
