#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "backends/reference/kernels/kernels.h"
#include "base/philox.h"

namespace linnet::reference {
namespace {

SampleParams params_of(const Sample& op, size_t slot, Operands& operands) {
  const auto word = [&](size_t i) { return operands.integer(op.params, slot * kSampleParamWords + i); };
  return {.temperature = std::bit_cast<float>(word(0)),
          .top_k = word(1),
          .top_p = std::bit_cast<float>(word(2)),
          .seed_low = static_cast<uint32_t>(word(3)),
          .seed_high = static_cast<uint32_t>(word(4))};
}

// Tokens with the largest logits first, equal ones by the smaller token.
std::pmr::vector<uint32_t> ordered(std::span<const double> logits, Operands& operands) {
  std::pmr::vector<uint32_t> order(logits.size(), operands.memory());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(
      order, [&](uint32_t a, uint32_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  return order;
}

size_t draw(std::span<double> logits, const SampleParams& params, size_t position, Operands& operands) {
  // NaN has no order; it counts as impossible.
  for (double& logit : logits) logit = std::isnan(logit) ? -std::numeric_limits<double>::infinity() : logit;
  std::pmr::vector<uint32_t> order = ordered(logits, operands);
  if (!(params.temperature > 0)) return order.front();
  if (params.top_k > 0) order.resize(std::min(order.size(), static_cast<size_t>(params.top_k)));

  std::pmr::vector<double> weights(order.size(), operands.memory());
  const double largest = logits[order.front()];
  double sum = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    sum += weights[i] = std::exp((logits[order[i]] - largest) / static_cast<double>(params.temperature));
  }
  size_t kept = 0;
  double kept_sum = 0;
  while (kept < order.size()) {
    kept_sum += weights[kept++];
    if (kept_sum >= static_cast<double>(params.top_p) * sum) break;
  }
  const uint64_t seed = (uint64_t{params.seed_high} << 32) | params.seed_low;
  const double threshold =
      kept_sum * static_cast<double>(philox_uniform(seed, static_cast<uint32_t>(position)));
  double running = 0;
  for (size_t i = 0; i < kept; ++i) {
    running += weights[i];
    if (running > threshold) return order[i];
  }
  return order.front();  // nothing but −infinity and NaN
}

bool stops(const Sample& op, int32_t token, Operands& operands) {
  const size_t ids = operands.count(operands.shape(op.stop_ids)[0]);
  for (size_t i = 0; i < ids; ++i) {
    if (operands.integer(op.stop_ids, i) == token) return true;
  }
  return false;
}

}  // namespace

void evaluate(const Sample& op, Operands& operands) {
  const size_t capacity = operands.shape(op.tokens)[0].max;
  const size_t ring_length = operands.shape(op.ring)[1].max;
  for (size_t i = 0; i < operands.rows(op.logits); ++i) {
    const size_t slot = operands.index(op.slots, "slots", i, capacity);
    const int32_t remaining = operands.integer(op.remaining, slot);
    if (remaining <= 0) continue;
    const size_t position =
        operands.index(op.positions, "positions", slot, std::numeric_limits<int32_t>::max());
    std::pmr::vector<double> logits = operands.row(op.logits, i);
    const auto token = static_cast<int32_t>(draw(logits, params_of(op, slot, operands), position, operands));
    operands.set_integer(op.ring, slot * ring_length + position % ring_length, token);
    operands.set_integer(op.tokens, slot, token);
    operands.set_integer(op.positions, slot, static_cast<int32_t>(position + 1));
    operands.set_integer(op.remaining, slot, stops(op, token, operands) ? 0 : remaining - 1);
  }
}

}  // namespace linnet::reference
