#include "runtime/sequences.h"

#include <cmath>

#include <algorithm>

#include "base/philox.h"
#include "runtime/devices.h"

namespace linnet::testing {

Tokens some_tokens(uint32_t count, uint32_t seed, uint32_t vocabulary) {
  constexpr uint32_t kFirstNormal = 3 + 256;
  Tokens tokens{1};
  while (tokens.size() < count) {
    const uint32_t bits = philox4x32({static_cast<uint32_t>(tokens.size()), 0, 0, 0}, seed)[0];
    tokens.push_back(static_cast<int32_t>(kFirstNormal + bits % (vocabulary - kFirstNormal)));
  }
  return tokens;
}

double relative_difference(const Logits& a, const Logits& b) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    difference += std::pow(double{a[i]} - b[i], 2);
    size += std::pow(double{b[i]}, 2);
  }
  return std::sqrt(difference / size);
}

::testing::AssertionResult same_logits(const Device& device, const Logits& got, const Logits& expected) {
  constexpr double kRoundings = 1e-5;
  if (got.size() != expected.size())
    return ::testing::AssertionFailure() << got.size() << " logits instead of " << expected.size();
  const double difference = relative_difference(got, expected);
  if (sums_have_one_order(device) ? got == expected : difference <= kRoundings)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "relative difference " << difference;
}

::testing::AssertionResult same_logits(const Device& device, const std::vector<Logits>& got,
                                       const std::vector<Logits>& expected) {
  if (got.size() != expected.size())
    return ::testing::AssertionFailure() << got.size() << " rows instead of " << expected.size();
  for (size_t row = 0; row < got.size(); ++row) {
    if (auto same = same_logits(device, got[row], expected[row]); !same) return same << " in row " << row;
  }
  return ::testing::AssertionSuccess();
}

Logits logits_row(TextModel& model, uint32_t row) {
  Logits logits(model.vocabulary());
  await(model.device(), [&](Completion done) { model.read_logits(row, logits, std::move(done)); });
  return logits;
}

Tokens sampled_tokens(TextModel& model, uint32_t slot) {
  Tokens tokens(std::min(model.sampled(slot), kRingTokens));
  const auto first = static_cast<uint32_t>(model.length(slot) - tokens.size());
  await(model.device(), [&](Completion done) { model.read_tokens(slot, first, tokens, std::move(done)); });
  return tokens;
}

std::vector<Logits> logits_of_prompt(TextModel& model, const Tokens& tokens, uint32_t chunk) {
  const uint32_t slot = model.begin({}, static_cast<uint32_t>(tokens.size()));
  std::vector<Logits> all;
  for (size_t first = 0; first < tokens.size(); first += chunk) {
    const size_t count = std::min<size_t>(chunk, tokens.size() - first);
    const PromptPart part{.slot = slot,
                          .tokens = std::span(tokens).subspan(first, count),
                          .generate = 0,
                          .logits = static_cast<uint32_t>(count)};
    model.prompt({&part, 1});
    for (uint32_t row = 0; row < count; ++row) all.push_back(logits_row(model, row));
  }
  model.release(slot);
  return all;
}

Continuation continuation_of(TextModel& model, const Tokens& prompt, uint32_t count, uint32_t chunk,
                             const SampleParams& sampling) {
  const uint32_t slot = model.begin(sampling, static_cast<uint32_t>(prompt.size()) + count);
  Continuation result;
  for (size_t first = 0; first < prompt.size(); first += chunk) {
    const size_t size = std::min<size_t>(chunk, prompt.size() - first);
    const bool last = first + size == prompt.size();
    const PromptPart part{.slot = slot,
                          .tokens = std::span(prompt).subspan(first, size),
                          .generate = last ? count : 0,
                          .logits = 0};
    model.prompt({&part, 1});
  }
  result.logits.reserve(count);  // must not move while they are read
  const auto read_row = [&](uint32_t row, const Completion& done) {
    model.read_logits(row, result.logits.emplace_back(model.vocabulary()), done);
  };
  await_all(model.device(), [&](const Completion& done) {
    read_row(0, done);
    while (model.generating(slot)) {
      model.decode();
      read_row(slot, done);
      model.device().poll();
    }
    return result.logits.size();
  });
  result.tokens = sampled_tokens(model, slot);
  model.release(slot);
  return result;
}

std::vector<Continuation> batched_continuations(TextModel& model, const std::vector<Tokens>& prompts,
                                                const std::vector<uint32_t>& counts) {
  std::vector<PromptPart> parts;
  for (size_t i = 0; i < prompts.size(); ++i) {
    const uint32_t slot = model.begin({}, static_cast<uint32_t>(prompts[i].size()) + counts[i]);
    parts.push_back({.slot = slot, .tokens = prompts[i], .generate = counts[i]});
  }
  std::vector<Continuation> all(prompts.size());
  model.prompt(parts);
  for (uint32_t i = 0; i < parts.size(); ++i) all[i].logits.push_back(logits_row(model, i));
  while (model.generating(parts.front().slot)) {
    std::vector<size_t> advanced;
    for (size_t i = 0; i < parts.size(); ++i)
      if (model.generating(parts[i].slot)) advanced.push_back(i);
    model.decode();
    for (const size_t i : advanced) all[i].logits.push_back(logits_row(model, parts[i].slot));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    all[i].tokens = sampled_tokens(model, parts[i].slot);
    model.release(parts[i].slot);
  }
  return all;
}

}  // namespace linnet::testing
