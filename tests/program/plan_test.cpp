// The plan: nothing that lives together overlaps, every conflict is ordered, and little memory is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "program/lower.h"
#include "program/plan.h"
#include "program/recorder.h"

namespace linnet {
namespace {

size_t no_workspace(const Op&) {
  return 0;
}
size_t some_workspace(const Op& op) {
  return std::holds_alternative<Linear>(op) ? 1000 : 0;
}

struct Interval {
  size_t begin = 0, end = 0;     // bytes
  uint32_t first = 0, last = 0;  // steps
  [[nodiscard]] bool overlaps(const Interval& other) const {
    return begin < other.end && other.begin < end && first <= other.last && other.first <= last;
  }
};

// Lifetimes found anew, the obvious way: for every value, the steps whose operands lie in its memory.
std::vector<Interval> intervals(const Program& program, const Plan& plan) {
  std::vector<Interval> all;
  for (uint32_t id = 0; id < program.values.size(); ++id) {
    std::set<uint32_t> uses;
    for (uint32_t step = 0; step < plan.steps.size(); ++step) {
      for_each_operand(plan.steps[step].op, [&](Value value, Access, std::string_view) {
        if (program.base(value).id == id) uses.insert(step);
      });
    }
    if (uses.empty() || program.values[id].storage != Storage::scratch || program.values[id].view.base)
      continue;
    EXPECT_NE(plan.offset[id], Plan::kNowhere);
    EXPECT_EQ(plan.offset[id] % Plan::kAlignment, 0u);
    all.push_back({plan.offset[id], plan.offset[id] + program.bytes({id}), *uses.begin(), *uses.rbegin()});
  }
  for (uint32_t step = 0; step < plan.steps.size(); ++step) {
    const Step& each = plan.steps[step];
    if (each.workspace != 0)
      all.push_back({each.workspace_offset, each.workspace_offset + each.workspace, step, step});
  }
  return all;
}

void expect_no_overlap(const Program& program, const Plan& plan) {
  const std::vector<Interval> all = intervals(program, plan);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_LE(all[i].end, plan.scratch_bytes);
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(all[i].overlaps(all[j])) << i << " and " << j;
  }
}

// Bytes a step touches: scratch by its place in the arena, everything else by its value.
struct Touched {
  uint32_t memory;
  size_t begin, end;
  bool written;
};

std::vector<Touched> touched(const Program& program, const Plan& plan, const Step& step) {
  std::vector<Touched> all;
  for_each_operand(step.op, [&](Value value, Access access, std::string_view) {
    const Value base = program.base(value);
    const bool scratch = program.info(base).storage == Storage::scratch;
    const size_t begin = scratch ? plan.offset[base.id] : 0;
    all.push_back(
        {scratch ? Value::kNone : base.id, begin, begin + program.bytes(base), access != Access::read});
  });
  if (step.workspace != 0) {
    all.push_back({Value::kNone, step.workspace_offset, step.workspace_offset + step.workspace, true});
  }
  return all;
}

void expect_every_conflict_ordered(const Program& program, const Plan& plan) {
  std::vector<std::set<uint32_t>> before(plan.steps.size());  // all that must have finished
  for (uint32_t i = 0; i < plan.steps.size(); ++i) {
    for (const uint32_t earlier : plan.steps[i].after) {
      ASSERT_LT(earlier, i);
      before[i].insert(earlier);
      before[i].insert(before[earlier].begin(), before[earlier].end());
    }
    for (uint32_t j = 0; j < i; ++j) {
      for (const Touched& mine : touched(program, plan, plan.steps[i])) {
        for (const Touched& theirs : touched(program, plan, plan.steps[j])) {
          const bool conflict = mine.memory == theirs.memory && (mine.written || theirs.written) &&
                                mine.begin < theirs.end && theirs.begin < mine.end;
          if (!conflict) continue;
          EXPECT_TRUE(before[i].contains(j))
              << "step " << i << " may run before step " << j << " has finished";
        }
      }
    }
  }
}

// Two layers of the five stages, expanded or not, as nn/ records them.
Program decoder(uint32_t rows) {
  Recorder recorder;
  const Dim count = recorder.extent("rows", rows);
  const Value positions = recorder.input({count}, Format::i32, "positions");
  const Paging paging{.positions = positions,
                      .row_starts = recorder.input({Dim(5)}, Format::i32, "row_starts"),
                      .sequence_slots = recorder.input({Dim(4)}, Format::i32, "slots"),
                      .page_table = recorder.state({4, 4}, Format::i32, "page_table")};
  const Value angles = rope_angles(recorder, positions, recorder.weight({16, 2}, Format::f32, "frequencies"));
  const Value norm = recorder.weight({Dim(128)}, Format::f32, "norm");
  Value x = embedding(recorder, recorder.weight({500, 128}, Format::q8_0, "table"), positions);
  for (int layer = 0; layer < 2; ++layer) {
    const Value k_cache = recorder.state({17, 1, kPageTokens, 32}, Format::kv, "k");
    const Value v_cache = recorder.state({17, 1, kPageTokens, 32}, Format::kv, "v");
    const Value q = recorder.scratch({count, 4, 32}, Format::compute);
    recorder.record(NormQkvRopeStore{.x = x,
                                     .norm = norm,
                                     .weight = recorder.weight({192, 128}, Format::q8_0, "qkv"),
                                     .bias = {},
                                     .angles = angles,
                                     .paging = paging,
                                     .k_cache = k_cache,
                                     .v_cache = v_cache,
                                     .out = q});
    const Value attended = attention(recorder, q, paging, k_cache, v_cache, 0.2f);
    x = linear_add(recorder, attended, recorder.weight({128, 128}, Format::q8_0, "o"), {}, x);
    const Value gated =
        norm_gated_linear(recorder, x, norm, 1e-5f, recorder.weight({704, 128}, Format::q8_0, "gate_up"), {},
                          ActivationKind::silu);
    x = linear_add(recorder, gated, recorder.weight({128, 352}, Format::q8_0, "down"), {}, x);
  }
  const Value logits = recorder.output({count, 500}, Format::f32, "logits");
  recorder.record(NormLinear{.x = x,
                             .norm = norm,
                             .weight = recorder.weight({500, 128}, Format::q8_0, "head"),
                             .bias = {},
                             .out = logits});
  return recorder.take();
}

Program lowered(const Program& program, bool expand) {
  return lower(program, {}, [&](const Op& op, Recorder&) {
    const bool fused = std::visit([]<class T>(const T&) { return Fused<T>; }, op);
    return expand && fused ? Lowered::expand() : Lowered::keep();
  });
}

// A step reads up to three earlier values and writes a new one, of a size anywhere between 1 and 300 lines.
Program random_program(uint64_t seed) {
  const auto random = [&seed](uint64_t limit) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (seed >> 33) % limit;
  };
  Recorder recorder;
  const Value in = recorder.input({1, 64}, Format::f32, "in");
  std::vector<Value> values{in};
  for (int i = 0; i < 40; ++i) {
    const Value a = values[random(values.size())];
    const Value b = values[values.size() - 1 - random(std::min<size_t>(values.size(), 4))];
    const auto n = static_cast<uint32_t>(1 + random(300) * 16);
    const auto k = static_cast<uint32_t>(recorder.program().shape(a)[1].max);
    const Value weight = recorder.weight({n, k}, Format::f32, "w");
    const Value wide = linear(recorder, a, weight);
    values.push_back(wide);
    values.push_back(add(recorder, b, b));
  }
  const auto width = static_cast<uint32_t>(recorder.program().shape(values.back())[1].max);
  recorder.record(Softmax{.x = values.back(), .out = recorder.output({1, width}, Format::f32, "out")});
  return recorder.take();
}

TEST(Plan, HoldsForDecoders) {
  for (const uint32_t rows : {1u, 64u}) {
    for (const bool expand : {false, true}) {
      const Program program = lowered(decoder(rows), expand);
      for (const auto& workspace : {no_workspace, some_workspace}) {
        const Plan plan = make_plan(program, workspace);
        expect_no_overlap(program, plan);
        expect_every_conflict_ordered(program, plan);
        EXPECT_LE(static_cast<double>(plan.scratch_bytes), 1.1 * static_cast<double>(plan.peak_live_bytes));
        EXPECT_GE(plan.scratch_bytes, plan.peak_live_bytes);
      }
    }
  }
}

// 1.1 is what recorded models are held to, above. Random sizes and lifetimes are harder than any model: the
// greedy placement needs up to 1.17 times the peak for these seeds, so this bound only notices when it
// becomes worse.
TEST(Plan, HoldsForRandomPrograms) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Program program = random_program(seed);
    const Plan plan = make_plan(program, some_workspace);
    expect_no_overlap(program, plan);
    expect_every_conflict_ordered(program, plan);
    EXPECT_LE(static_cast<double>(plan.scratch_bytes), 1.2 * static_cast<double>(plan.peak_live_bytes))
        << seed;
  }
}

TEST(Plan, KeepsEveryValueWithoutReuse) {
  const Program program = lowered(decoder(8), true);
  const Plan plan = make_plan(program, no_workspace, {.reuse_scratch = false});
  std::vector<Interval> all = intervals(program, plan);
  for (Interval& each : all) {
    each.first = 0;
    each.last = static_cast<uint32_t>(plan.steps.size());
  }
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(all[i].overlaps(all[j]));
  }
  EXPECT_GT(plan.scratch_bytes, make_plan(program, no_workspace).scratch_bytes);
  expect_every_conflict_ordered(program, plan);
}

TEST(Plan, CountsWorkspace) {
  const Program program = lowered(decoder(1), true);
  const Plan without = make_plan(program, no_workspace);
  const Plan with = make_plan(program, [](const Op&) { return size_t{1} << 20; });
  EXPECT_GE(with.peak_live_bytes, (size_t{1} << 20) + 512);
  EXPECT_GE(with.scratch_bytes, without.scratch_bytes + (size_t{1} << 19));
  for (const Step& step : with.steps) EXPECT_EQ(step.workspace, size_t{1} << 20);
}

TEST(Plan, OrdersTheReuseOfMemoryAndTheUpdateOfState) {
  Recorder recorder;
  const Value in = recorder.input({1, 64}, Format::f32, "in");
  const Value a = add(recorder, in, in);  // step 0
  const Value b = add(recorder, a, a);    // step 1: a dies here
  const Value c = add(recorder, b, b);    // step 2: may lie where a was
  const Value out = recorder.output({1, 64}, Format::f32, "out");
  recorder.record(Add{.a = c, .b = c, .out = out});
  const Program program = recorder.take();
  const Plan plan = make_plan(program, no_workspace);
  EXPECT_EQ(plan.offset[a.id], plan.offset[c.id]);
  EXPECT_EQ(plan.scratch_bytes, 2u * 256);
  EXPECT_EQ(plan.steps[2].after, (std::vector<uint32_t>{1}));
  EXPECT_TRUE(plan.steps[0].after.empty());
  EXPECT_EQ(plan.offset[in.id], Plan::kNowhere);
}

TEST(Plan, LeavesIndependentStepsUnordered) {
  Recorder recorder;
  const Value in = recorder.input({1, 64}, Format::f32, "in");
  const Value a = add(recorder, in, in);
  const Value b = add(recorder, in, in);
  static_cast<void>(add(recorder, a, b));
  const Program program = recorder.take();
  const Plan plan = make_plan(program, no_workspace);
  EXPECT_TRUE(plan.steps[1].after.empty());
  EXPECT_EQ(plan.steps[2].after, (std::vector<uint32_t>{0, 1}));
}

TEST(Plan, IsEmptyForAnEmptyProgram) {
  const Plan plan = make_plan({}, no_workspace);
  EXPECT_EQ(plan.scratch_bytes, 0u);
  EXPECT_EQ(plan.peak_live_bytes, 0u);
}

}  // namespace
}  // namespace linnet
