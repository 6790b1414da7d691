// What each op says of operands that do not fit: the exact message, which a user will read.
#include <gtest/gtest.h>

#include "program/message.h"
#include "program/recorder.h"

namespace linnet {
namespace {

class Checks : public ::testing::Test {
 protected:
  Value f32(Shape shape) { return recorder.scratch(shape, Format::f32, "f32"); }
  Value i32(Shape shape) { return recorder.state(shape, Format::i32, "i32"); }
  Value weight(Shape shape, Format format = Format::f32) { return recorder.weight(shape, format, "weight"); }
  std::string refused(Op op) {
    return message_of([&] { recorder.record(std::move(op)); });
  }
  Paging paging(uint32_t rows) {
    return {.positions = i32({Dim(rows)}),
            .row_starts = i32({Dim(3)}),
            .sequence_slots = i32({Dim(2)}),
            .page_table = i32({2, 4})};
  }
  Recorder recorder;
};

TEST_F(Checks, Embedding) {
  EXPECT_EQ(refused(Embedding{.table = weight({10, 8}), .ids = i32({Dim(3)}), .out = f32({3, 7})}),
            "[embedding] out: expected [3, 8], got [3, 7]");
  EXPECT_EQ(refused(Embedding{.table = weight({10, 8}), .ids = f32({Dim(3)}), .out = f32({3, 8})}),
            "[embedding] ids: expected i32, got f32");
  EXPECT_EQ(refused(Embedding{.table = weight({10, 8}), .ids = {}, .out = f32({3, 8})}),
            "[embedding] ids: expected a value, got none");
  EXPECT_EQ(refused(Embedding{.table = weight({Dim(10)}), .ids = i32({Dim(3)}), .out = f32({3, 8})}),
            "[embedding] table: expected 2 dimensions, got [10]");
}

TEST_F(Checks, Linear) {
  EXPECT_EQ(refused(Linear{.x = f32({2, 8}), .weight = weight({4, 7}), .bias = {}, .out = f32({2, 4})}),
            "[linear] weight: expected [n, 8], got [4, 7]");
  EXPECT_EQ(refused(Linear{
                .x = f32({2, 8}), .weight = weight({4, 8}), .bias = weight({Dim(5)}), .out = f32({2, 4})}),
            "[linear] bias: expected [4], got [5]");
  EXPECT_EQ(refused(Linear{.x = f32({2, 8}), .weight = weight({4, 8}), .bias = {}, .out = f32({2, 5})}),
            "[linear] out: expected [2, 4], got [2, 5]");
  EXPECT_EQ(refused(Linear{.x = i32({2, 8}), .weight = weight({4, 8}), .bias = {}, .out = f32({2, 4})}),
            "[linear] x: expected f32 or f16 or bf16 or q8_a, got i32");
  EXPECT_EQ(refused(Linear{.x = f32({2, 8}), .weight = weight({4, 8}), .bias = {}, .out = weight({2, 4})}),
            "[linear] out: expected a value that a run may write, got a weight");
}

TEST_F(Checks, Add) {
  EXPECT_EQ(refused(Add{.a = f32({2, 8}), .b = f32({2, 7}), .out = f32({2, 8})}),
            "[add] b: expected [2, 8], got [2, 7]");
  EXPECT_EQ(refused(Add{.a = f32({2, 8}), .b = f32({2, 8}), .out = f32({8, 2})}),
            "[add] out: expected [2, 8], got [8, 2]");
  EXPECT_EQ(
      refused(Add{.a = f32({2, 8}), .b = f32({2, 8}), .out = recorder.input({2, 8}, Format::f32, "in")}),
      "[add] out: expected a value that a run may write, got a input");
}

TEST_F(Checks, RmsNorm) {
  EXPECT_EQ(refused(RmsNorm{.x = f32({3, 2048}), .weight = weight({Dim(2047)}), .out = f32({3, 2048})}),
            "[rms_norm] weight: expected [2048], got [2047]");
  EXPECT_EQ(refused(RmsNorm{.x = f32({3, 8}), .weight = weight({Dim(8)}, Format::f16), .out = f32({3, 8})}),
            "[rms_norm] weight: expected f32, got f16");
}

TEST_F(Checks, LayerNorm) {
  EXPECT_EQ(refused(LayerNorm{.x = f32({3, 8}), .weight = {}, .bias = weight({Dim(9)}), .out = f32({3, 8})}),
            "[layer_norm] bias: expected [8], got [9]");
  EXPECT_EQ(refused(LayerNorm{.x = f32({3, 8}), .weight = {}, .bias = {}, .out = f32({3, 8})}), "no error");
}

TEST_F(Checks, SoftmaxAndActivation) {
  EXPECT_EQ(refused(Softmax{.x = f32({3, 8}), .out = f32({3, 9})}),
            "[softmax] out: expected [3, 8], got [3, 9]");
  EXPECT_EQ(refused(Softmax{.x = i32({3, 8}), .out = f32({3, 8})}),
            "[softmax] x: expected f32 or f16 or bf16, got i32");
  EXPECT_EQ(refused(Activation{.x = f32({3, 8}), .out = f32({8})}),
            "[activation] out: expected [3, 8], got [8]");
}

TEST_F(Checks, GatedActivation) {
  EXPECT_EQ(refused(GatedActivation{.x = f32({3, 9}), .out = f32({3, 4})}),
            "[gated_activation] x: expected an even number of columns, got [3, 9]");
  EXPECT_EQ(refused(GatedActivation{.x = f32({3, 8}), .out = f32({3, 8})}),
            "[gated_activation] out: expected [3, 4], got [3, 8]");
}

TEST_F(Checks, Rope) {
  EXPECT_EQ(
      refused(RopeAngles{.positions = i32({Dim(3)}), .frequencies = weight({4, 3}), .out = f32({3, 4, 2})}),
      "[rope_angles] frequencies: expected [4, 2], got [4, 3]");
  EXPECT_EQ(
      refused(RopeAngles{.positions = i32({Dim(3)}), .frequencies = weight({4, 2}), .out = f32({3, 5, 2})}),
      "[rope_angles] out: expected [3, 4, 2], got [3, 5, 2]");
  EXPECT_EQ(refused(Rope{.x = f32({3, 2, 8}), .angles = f32({3, 5, 2}), .out = f32({3, 2, 8})}),
            "[rope] angles: expected at most 4 pairs, got 5");
  EXPECT_EQ(refused(Rope{.x = f32({3, 16}), .angles = f32({3, 4, 2}), .out = f32({3, 16})}),
            "[rope] x: expected 3 dimensions, got [3, 16]");
}

TEST_F(Checks, KvStoreAndAttention) {
  const Value cache = recorder.state({9, 2, kPageTokens, 8}, Format::kv, "cache");
  const Value small = recorder.state({9, 2, 32, 8}, Format::kv, "small");
  const Value half = recorder.state({9, 2, kPageTokens, 8}, Format::f16, "half");
  const Value k = f32({5, 2, 8});
  EXPECT_EQ(refused(KvStore{.k = k, .v = k, .paging = paging(4), .k_cache = cache, .v_cache = cache}),
            "[kv_store] positions: expected [5], got [4]");
  EXPECT_EQ(refused(KvStore{.k = k, .v = k, .paging = paging(5), .k_cache = small, .v_cache = small}),
            "[kv_store] k_cache: expected pages of 64 tokens, got [9, 2, 32, 8]");
  EXPECT_EQ(refused(KvStore{.k = k, .v = k, .paging = paging(5), .k_cache = half, .v_cache = cache}),
            "[kv_store] v_cache: expected f16, got kv");
  EXPECT_EQ(
      refused(Attention{
          .q = f32({5, 3, 8}), .paging = paging(5), .k_cache = cache, .v_cache = cache, .out = f32({5, 24})}),
      "[attention] k_cache: expected heads that divide those of [5, 3, 8], got [9, 2, 64, 8]");
  EXPECT_EQ(refused(Attention{.q = f32({5, 4, 8}),
                              .paging = paging(5),
                              .k_cache = cache,
                              .v_cache = cache,
                              .out = f32({5, 4, 8})}),
            "[attention] out: expected [5, 32], got [5, 4, 8]");
}

TEST_F(Checks, Quantize) {
  EXPECT_EQ(refused(Quantize{.x = f32({3, 32}), .out = f32({3, 32})}),
            "[quantize] out: expected q8_a, got f32");
  EXPECT_EQ(message_of([&] {
              quantize(recorder, f32({3, 33}));
            }),
            "[recorder] : rows of q8_a must be multiples of 32, got [3, 33]");
}

TEST_F(Checks, Sample) {
  Sample op{.logits = f32({2, 100}),
            .slots = i32({Dim(2)}),
            .params = i32({4, kSampleParamWords}),
            .stop_ids = i32({Dim(3)}),
            .tokens = i32({Dim(4)}),
            .positions = i32({Dim(4)}),
            .remaining = i32({Dim(4)}),
            .ring = i32({4, 16})};
  EXPECT_EQ(refused(op), "no error");
  Sample other = op;
  other.params = i32({4, 7});
  EXPECT_EQ(refused(other), "[sample] params: expected [4, 8], got [4, 7]");
  other = op;
  other.ring = i32({3, 16});
  EXPECT_EQ(refused(other), "[sample] ring: expected [4, 16], got [3, 16]");
  other = op;
  other.tokens = recorder.input({Dim(4)}, Format::i32, "tokens");
  EXPECT_EQ(refused(other), "[sample] tokens: expected a value that a run may write, got a input");
}

TEST_F(Checks, FusedStages) {
  const Value x = f32({5, 32});
  const Value norm = weight({Dim(32)});
  EXPECT_EQ(
      refused(NormLinear{
          .x = x, .norm = weight({Dim(31)}), .weight = weight({8, 32}), .bias = {}, .out = f32({5, 8})}),
      "[norm_linear] norm: expected [32], got [31]");
  EXPECT_EQ(refused(NormLinear{.x = x,
                               .norm = norm,
                               .weight = weight({8, 32}),
                               .bias = {},
                               .out = f32({5, 8}),
                               .input = Format::f16}),
            "[norm_linear] input: expected compute or q8_a, got f16");
  EXPECT_EQ(refused(LinearAdd{
                .x = x, .weight = weight({8, 32}), .bias = {}, .residual = f32({5, 9}), .out = f32({5, 8})}),
            "[linear_add] residual: expected [5, 8], got [5, 9]");
  EXPECT_EQ(refused(NormGatedLinear{
                .x = x, .norm = norm, .weight = weight({7, 32}), .bias = {}, .out = f32({5, 3})}),
            "[norm_gated_linear] weight: expected an even number of rows, got [7, 32]");
  const Value cache = recorder.state({9, 1, kPageTokens, 8}, Format::f32, "cache");
  EXPECT_EQ(refused(NormQkvRopeStore{.x = x,
                                     .norm = norm,
                                     .weight = weight({40, 32}),
                                     .bias = {},
                                     .angles = f32({5, 4, 2}),
                                     .paging = paging(5),
                                     .k_cache = cache,
                                     .v_cache = cache,
                                     .out = f32({5, 2, 8})}),
            "[norm_qkv_rope_store] weight: expected [32, 32], got [40, 32]");
}

}  // namespace
}  // namespace linnet
