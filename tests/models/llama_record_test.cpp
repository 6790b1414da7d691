// The recorded program: five stages for each layer, the same for prompt and decode.
#include <gtest/gtest.h>

#include <map>

#include "models/llama.h"
#include "program/lower.h"
#include "runtime/tiny_model.h"
#include "runtime/weights.h"

namespace linnet {
namespace {

Program record(const testing::TinyModel& tiny, const BatchSpec& batch) {
  const TensorFile file = testing::open_tiny_model(tiny);
  const LlamaConfig config = read_llama_metadata(file);
  std::vector<WeightSpec> specs;
  for (const JoinedWeight& weight : join_llama_weights(config, file)) {
    specs.push_back(weight.spec);
  }
  specs.push_back(llama_rope_spec(config));
  return record_llama(config, specs, batch);
}

std::map<std::string_view, int> counts(const Program& program) {
  std::map<std::string_view, int> result;
  for (const Op& op : program.ops) ++result[op_name(op)];
  return result;
}

constexpr BatchSpec kPrompt{.kind = BatchSpec::Kind::prompt,
                            .rows = 64,
                            .sequences = 4,
                            .sampled = 4,
                            .slots = 4,
                            .pages = 9,
                            .pages_per_slot = 3};

TEST(RecordLlama, ALayerIsFiveStages) {
  const auto decode = counts(record({.layers = 3}, BatchSpec::decode(2, 9, 3)));
  const std::map<std::string_view, int> expected{
      {"embedding", 1},  {"rope_angles", 1},       {"norm_qkv_rope_store", 3}, {"attention", 3},
      {"linear_add", 6}, {"norm_gated_linear", 3}, {"norm_linear", 1},         {"sample", 1}};
  EXPECT_EQ(decode, expected);
  auto prompt = expected;
  prompt["embedding"] = 2;  // the rows that get logits are gathered
  EXPECT_EQ(counts(record({.layers = 3}, kPrompt)), prompt);
}

TEST(RecordLlama, DecodeLeavesNothingOpenAndNeedsNothingFromTheHost) {
  const Program program = record({}, BatchSpec::decode(4, 9, 3));
  EXPECT_TRUE(program.extents.empty());
  for (const ValueInfo& value : program.values) {
    if (value.storage == Storage::input) {
      EXPECT_TRUE(value.name == names::kEachRow || value.name == names::kEachSlot) << value.name;
    }
  }
}

TEST(RecordLlama, PromptHasThreeExtents) {
  const Program program = record({}, kPrompt);
  ASSERT_EQ(program.extents.size(), 3u);
  EXPECT_EQ(program.extents[0].name, "rows");
  EXPECT_EQ(program.extents[1].name, "sequences");
  EXPECT_EQ(program.extents[2].name, "sampled");
  // Rows of no sequence do no harm; a sequence or a draw of no row would.
  EXPECT_TRUE(program.extents[0].may_round_up);
  EXPECT_FALSE(program.extents[1].may_round_up);
  EXPECT_FALSE(program.extents[2].may_round_up);
}

TEST(RecordLlama, TiedEmbeddingsAreOneWeight) {
  const Program program = record({.tied = true}, kPrompt);
  EXPECT_FALSE(program.find("output.weight"));
  const auto& head = std::get<NormLinear>(program.ops[program.ops.size() - 2]);
  EXPECT_EQ(head.weight, program.find("token_embd.weight"));
}

TEST(RecordLlama, BiasesReachTheirStages) {
  const Program program = record({.biases = true}, kPrompt);
  for (const Op& op : program.ops) {
    if (const auto* stage = std::get_if<LinearAdd>(&op)) {
      EXPECT_TRUE(stage->bias);
    }
    if (const auto* stage = std::get_if<NormQkvRopeStore>(&op)) {
      EXPECT_TRUE(stage->bias);
    }
    if (const auto* stage = std::get_if<NormGatedLinear>(&op)) {
      EXPECT_TRUE(stage->bias);
    }
  }
  check(program);
}

}  // namespace
}  // namespace linnet
