// What tests do with a TextModel, waiting for the results.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/text_model.h"

namespace linnet::testing {

using Tokens = std::vector<int32_t>;
using Logits = std::vector<float>;

// Pseudo-random tokens of the normal part of the tiny vocabulary, the first one <s>.
[[nodiscard]] Tokens some_tokens(uint32_t count, uint32_t seed, uint32_t vocabulary);

// Pumps until the results that `enqueue(Completion)` asked for, as many as it says, have arrived; throws the
// device's error.
template <class Enqueue>
void await_all(Device& device, Enqueue&& enqueue) {
  size_t arrived = 0;
  std::exception_ptr failure;
  const size_t expected = enqueue([&](const Error* error) {
    ++arrived;
    if (error != nullptr) failure = std::make_exception_ptr(*error);
  });
  while (arrived < expected) {
    device.wait(std::chrono::milliseconds(100));
    device.poll();
  }
  if (failure) std::rethrow_exception(failure);
}

// The same for one result.
template <class Enqueue>
void await(Device& device, Enqueue&& enqueue) {
  await_all(device, [&](Completion done) {
    enqueue(std::move(done));
    return size_t{1};
  });
}

// ‖a − b‖ / ‖b‖
[[nodiscard]] double relative_difference(const Logits& a, const Logits& b);

// The same logits: bit for bit where sums have one order (runtime/devices.h), within roundings of F32
// elsewhere.
[[nodiscard]] ::testing::AssertionResult same_logits(const Device& device, const Logits& got,
                                                     const Logits& expected);
[[nodiscard]] ::testing::AssertionResult same_logits(const Device& device, const std::vector<Logits>& got,
                                                     const std::vector<Logits>& expected);

[[nodiscard]] Logits logits_row(TextModel& model, uint32_t row);
[[nodiscard]] Tokens sampled_tokens(TextModel& model, uint32_t slot);

// Logits of every token of one sequence, fed `chunk` tokens at a time. The model must have logit_rows ≥
// chunk.
[[nodiscard]] std::vector<Logits> logits_of_prompt(TextModel& model, const Tokens& tokens, uint32_t chunk);

// Greedy (or sampled) continuation, and the logits that each of its tokens was drawn from. Steps are
// enqueued one behind the other, and nobody waits for a result before the last one.
struct Continuation {
  Tokens tokens;
  std::vector<Logits> logits;
};
[[nodiscard]] Continuation continuation_of(TextModel& model, const Tokens& prompt, uint32_t count,
                                           uint32_t chunk, const SampleParams& sampling = {});

// The same for several sequences, whose prompts are one batch: as many tokens of each as `counts` says, the
// first of which must be the largest. Waits for every step.
[[nodiscard]] std::vector<Continuation> batched_continuations(TextModel& model,
                                                              const std::vector<Tokens>& prompts,
                                                              const std::vector<uint32_t>& counts);

}  // namespace linnet::testing
