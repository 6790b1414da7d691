#include "runtime/sequences.h"

#include <cmath>

#include <algorithm>

#include "base/philox.h"

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

}  // namespace linnet::testing
