// The ways in which an NVIDIA GPU can be driven, against the reference. Skipped where there is none.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "check/bound_program.h"
#include "nn/batch.h"
#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/text_model.h"
#include "runtime/tiny_model.h"

namespace linnet {
namespace {

constexpr uint32_t kSteps = 40;
constexpr uint32_t kFewestCompared = 4;

struct ModelShape {
  const char* name;
  testing::TinyModel model;
};

std::unique_ptr<Device> open(const std::string& backend, Launching launching) {
  return open_device(compiled_in_backends(), backend,
                     {.threads = 2, .instruction_set = {}, .launching = launching})
      .device;
}

testing::Continuation continuation_of(const testing::TinyModel& shape, const std::string& backend,
                                      Launching launching, uint32_t prompt,
                                      const SampleParams& sampling = {}) {
  const auto device = open(backend, launching);
  TextModel model(testing::open_tiny_model(shape), *device,
                  TextModelOptions{.context = 1024, .logit_rows = 1});
  const testing::Tokens tokens = testing::some_tokens(prompt, 3, testing::tiny_vocabulary_size());
  auto result = testing::continuation_of(model, tokens, kSteps, 1, sampling);
  EXPECT_EQ(device->receipt().walked, launching == Launching::walk && backend == "cuda" ? kSteps - 1 : 0);
  return result;
}

class CudaLaunching : public ::testing::TestWithParam<ModelShape> {
 protected:
  void SetUp() override {
    if (!testing::can_open("cuda")) GTEST_SKIP() << "no NVIDIA GPU can be used here";
  }

  [[nodiscard]] static testing::Continuation run(const std::string& backend, Launching launching,
                                                 uint32_t prompt) {
    return continuation_of(GetParam().model, backend, launching, prompt);
  }
};

// As long as both went the same way: from there on they answer different texts.
void compare(const testing::Continuation& got, const testing::Continuation& expected, double allowed) {
  size_t compared = 0;
  for (; compared < got.logits.size(); ++compared) {
    EXPECT_LE(testing::relative_difference(got.logits[compared], expected.logits[compared]), allowed)
        << compared;
    if (got.tokens[compared] != expected.tokens[compared]) break;
  }
  EXPECT_GE(compared, kFewestCompared);
}

TEST_P(CudaLaunching, EveryWaySaysWhatTheReferenceSays) {
  for (const uint32_t prompt : {3u, 70u, 600u}) {
    SCOPED_TRACE(prompt);
    const auto expected = run("reference", Launching::graph, prompt);
    for (const Launching launching : {Launching::graph, Launching::walk, Launching::kernels}) {
      SCOPED_TRACE(static_cast<int>(launching));
      compare(run("cuda", launching, prompt), expected, 0.05);
    }
  }
}

// As one batch: all its rows go through the kernels for some dozens of them, or through those for many.
TEST_P(CudaLaunching, AWholePromptSaysWhatTheReferenceSays) {
  const auto device = open("cuda", Launching::automatic);
  const auto reference = open("reference", Launching::automatic);
  const TextModelOptions options{.context = 1024, .logit_rows = 1};
  TextModel model(testing::open_tiny_model(GetParam().model), *device, options);
  TextModel expected(testing::open_tiny_model(GetParam().model), *reference, options);
  for (const uint32_t prompt : {2u, 16u, 33u, 64u, 65u, 200u}) {
    SCOPED_TRACE(prompt);
    const testing::Tokens tokens = testing::some_tokens(prompt, prompt, testing::tiny_vocabulary_size());
    const auto got = testing::continuation_of(model, tokens, 1, prompt, {});
    const auto wanted = testing::continuation_of(expected, tokens, 1, prompt, {});
    EXPECT_LE(testing::relative_difference(got.logits.front(), wanted.logits.front()), 0.05);
  }
}

// A batch of several sequences of which one ends after the other: steps for four slots, for two and for one,
// the last of which may be walked.
std::vector<testing::Continuation> batched_continuations(const testing::TinyModel& shape,
                                                         const std::string& backend, Launching launching) {
  const auto device = open(backend, launching);
  TextModel model(testing::open_tiny_model(shape), *device,
                  TextModelOptions{.context = 1024, .slots = 4, .prompt_rows = 512});
  std::vector<testing::Tokens> prompts;
  for (const uint32_t length : {150u, 33u, 70u})
    prompts.push_back(testing::some_tokens(length, length, testing::tiny_vocabulary_size()));
  auto result = testing::batched_continuations(model, prompts, {30, 20, 10});
  const bool walks = launching == Launching::walk && backend == "cuda";
  EXPECT_EQ(device->receipt().walked, walks ? 10u : 0u);
  return result;
}

TEST_P(CudaLaunching, SequencesSideBySideSayWhatTheReferenceSays) {
  const auto expected = batched_continuations(GetParam().model, "reference", Launching::graph);
  for (const Launching launching : {Launching::graph, Launching::walk, Launching::kernels}) {
    const auto got = batched_continuations(GetParam().model, "cuda", launching);
    for (size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(launching) << ", sequence " << i);
      compare(got[i], expected[i], 0.05);
    }
  }
}

TEST_P(CudaLaunching, TheGraphIsTheKernelsBitForBit) {
  const auto graph = run("cuda", Launching::graph, 70);
  const auto kernels = run("cuda", Launching::kernels, 70);
  EXPECT_EQ(graph.tokens, kernels.tokens);
  EXPECT_EQ(graph.logits, kernels.logits);
}

// Whole prompts, one after another: they are rounded up to as many rows as were captured, the longest is not.
// What lies behind their rows is there from those before and has no part in them.
TEST_P(CudaLaunching, APromptIsTheSameBitForBitWhetherItIsCapturedOrNot) {
  constexpr std::array kPrompts = {600u, 300u, 129u, 256u, 70u, 400u, 17u, 16u, 1u, 100u, 33u};
  const auto continuations = [&](Launching launching) {
    const auto device = open("cuda", launching);
    TextModel model(testing::open_tiny_model(GetParam().model), *device,
                    TextModelOptions{.context = 1024, .logit_rows = 1});
    std::vector<testing::Continuation> all;
    for (const uint32_t prompt : kPrompts) {
      const testing::Tokens tokens = testing::some_tokens(prompt, prompt, testing::tiny_vocabulary_size());
      all.push_back(testing::continuation_of(model, tokens, kFewestCompared, prompt, {}));
    }
    return all;
  };
  const auto graph = continuations(Launching::graph);
  const auto kernels = continuations(Launching::kernels);
  for (size_t i = 0; i < kPrompts.size(); ++i) {
    SCOPED_TRACE(kPrompts[i]);
    EXPECT_EQ(graph[i].tokens, kernels[i].tokens);
    EXPECT_EQ(graph[i].logits, kernels[i].logits);
  }
}

// The reference's draws from logits that another device computed.
class ReferenceDraw final : public ProgramInputs {
 public:
  ReferenceDraw(uint32_t vocabulary, const SampleParams& sampling)
      : sampling_(sampling), device_(open("reference", Launching::graph)) {
    Recorder recorder;
    const Batch batch = record_batch(recorder, BatchSpec::decode(1, 2, 1));
    logits_ = recorder.input({1, vocabulary}, Format::f32, names::kLogits);
    record_sample(recorder, batch, logits_);
    state_ = batch.slots;
    program_ = recorder.take();
    bound_ = std::make_unique<BoundProgram>(*device_, program_, CompileOptions{}, *this);
  }

  [[nodiscard]] Weight weight(Value) const override { return {}; }
  [[nodiscard]] std::vector<std::byte> contents(Value value, const ValueInfo&) const override {
    if (!(value == state_.params)) return {};
    const auto bytes = std::as_bytes(std::span(&sampling_, 1));
    return {bytes.begin(), bytes.end()};
  }

  [[nodiscard]] int32_t token(const testing::Logits& logits, uint32_t position) {
    const auto write = [&](Value value, uint32_t word) {
      bound_->write(value, std::as_bytes(std::span(&word, 1)));
    };
    bound_->write(logits_, std::as_bytes(std::span(logits)));
    write(state_.positions, position);
    write(state_.remaining, 1);
    bound_->run({});
    return static_cast<int32_t>(bound_->floats(state_.tokens).front());
  }

 private:
  SampleParams sampling_;
  std::unique_ptr<Device> device_;
  Value logits_;
  SlotState state_;
  Program program_;
  std::unique_ptr<BoundProgram> bound_;
};

void expect_the_references_draws(const testing::TinyModel& model) {
  constexpr uint32_t kPrompt = 5;
  for (const SampleParams& sampling :
       {SampleParams{}, SampleParams{.temperature = 1.5f, .seed_low = 3},
        SampleParams{.temperature = 0.8f, .top_k = 20, .seed_low = 4},
        SampleParams{.temperature = 1.2f, .top_k = 50, .top_p = 0.7f, .seed_low = 5}}) {
    SCOPED_TRACE(sampling.temperature);
    const auto walk = continuation_of(model, "cuda", Launching::walk, kPrompt, sampling);
    ReferenceDraw draw(static_cast<uint32_t>(walk.logits.front().size()), sampling);
    for (uint32_t i = 0; i < walk.logits.size(); ++i)
      EXPECT_EQ(walk.tokens[i], draw.token(walk.logits[i], kPrompt - 1 + i)) << i;
  }
}

TEST_P(CudaLaunching, TheWalkDrawsWhatTheReferenceDrawsFromItsLogits) {
  expect_the_references_draws(GetParam().model);
}

// More logits than one stage of the walk has, and a last unit with fewer rows.
TEST(CudaLaunchingOfManyLogits, TheWalkDrawsWhatTheReferenceDrawsFromItsLogits) {
  if (!testing::can_open("cuda")) GTEST_SKIP() << "no NVIDIA GPU can be used here";
  for (const Format format : {Format::bf16, Format::q8_0}) {
    SCOPED_TRACE(format);
    expect_the_references_draws({.width = 256,
                                 .heads = 4,
                                 .kv_heads = 2,
                                 .mlp_width = 512,
                                 .context = 1024,
                                 .vocabulary = 70'003,
                                 .format = format});
  }
}

// LINNET_CUDA_STEPS, or few enough for every day.
uint32_t steps_to_compare() {
  const char* given = std::getenv("LINNET_CUDA_STEPS");
  return given != nullptr ? static_cast<uint32_t>(std::stoul(given)) : 2000;
}

// Twice each step, in models that lie at other addresses, and all that the head computed: what is not ordered
// in the walk shows here sooner or later.
TEST_P(CudaLaunching, TheWalkGivesTheSameBitsAgain) {
  constexpr uint32_t kPrompt = 24;
  constexpr uint32_t kAnswer = 1000;
  const auto device = open("cuda", Launching::walk);
  const TextModelOptions options{.context = kPrompt + kAnswer, .logit_rows = 1};
  TextModel one(testing::open_tiny_model(GetParam().model), *device, options);
  TextModel other(testing::open_tiny_model(GetParam().model), *device, options);
  const uint32_t steps = steps_to_compare();
  uint32_t compared = 0;
  for (uint32_t seed = 1; compared < steps; ++seed) {
    const testing::Tokens prompt = testing::some_tokens(kPrompt, seed, testing::tiny_vocabulary_size());
    const SampleParams sampling{.temperature = 1, .seed_low = seed};  // texts that do not repeat themselves
    const auto first = testing::continuation_of(one, prompt, kAnswer, kPrompt, sampling);
    const auto second = testing::continuation_of(other, prompt, kAnswer, kPrompt, sampling);
    for (size_t i = 0; i < first.logits.size(); ++i)
      ASSERT_EQ(first.logits[i], second.logits[i]) << "answer " << seed << ", token " << i;
    compared += static_cast<uint32_t>(first.logits.size()) - 1;  // the first are the prompt's
  }
  EXPECT_EQ(device->receipt().walked, 2 * compared);
}

// Sums of several pieces, whole and with ends that not all warps have; the kernels of the graph are tested
// against the reference.
TEST(CudaLaunchingOfWideSums, TheWalkSaysWhatTheGraphSays) {
  if (!testing::can_open("cuda")) GTEST_SKIP() << "no NVIDIA GPU can be used here";
  for (const Format format : {Format::bf16, Format::q8_0}) {
    for (const uint32_t columns : {2048u, 2304u, 4608u, 6400u, 10752u}) {
      SCOPED_TRACE(::testing::Message() << format << " " << columns);
      const testing::TinyModel model{
          .width = 256, .heads = 4, .kv_heads = 2, .mlp_width = columns, .context = 1024, .format = format};
      compare(continuation_of(model, "cuda", Launching::walk, 3),
              continuation_of(model, "cuda", Launching::graph, 3), 0.05);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, CudaLaunching,
                         ::testing::Values(ModelShape{"bf16_heads_of_64",
                                                      {.width = 256,
                                                       .heads = 4,
                                                       .kv_heads = 2,
                                                       .mlp_width = 512,
                                                       .context = 1024,
                                                       .vocabulary = 1000,
                                                       .format = Format::bf16}},
                                           ModelShape{"q8_0_heads_of_64",
                                                      {.width = 256,
                                                       .heads = 4,
                                                       .kv_heads = 2,
                                                       .mlp_width = 512,
                                                       .context = 1024,
                                                       .format = Format::q8_0}},
                                           ModelShape{"bf16_heads_of_128_with_biases",
                                                      {.width = 512,
                                                       .heads = 4,
                                                       .kv_heads = 1,
                                                       .mlp_width = 1024,
                                                       .context = 1024,
                                                       .format = Format::bf16,
                                                       .biases = true}},
                                           ModelShape{"q8_0_ten_heads_a_group_tied",
                                                      {.width = 1280,
                                                       .heads = 20,
                                                       .kv_heads = 2,
                                                       .mlp_width = 256,
                                                       .context = 1024,
                                                       .format = Format::q8_0,
                                                       .tied = true}}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace linnet
