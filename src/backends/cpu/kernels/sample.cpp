#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "backends/cpu/kernels/bind.h"
#include "base/philox.h"

namespace linnet::cpu {
namespace {

struct SampleArgs {
  Tensor logits;
  Tensor slots;
  Tensor params;
  Tensor stop_ids;
  Tensor tokens;
  Tensor positions;
  Tensor remaining;
  Tensor ring;
  size_t slot_count;
  int32_t* order;         // workspace: [n, vocabulary]
  double* probabilities;  // workspace: [n, vocabulary]
};

// A NaN is never the largest; if all are, token 0.
int32_t largest_logit(std::span<const float> logits) noexcept {
  size_t best = 0;
  for (size_t i = 1; i < logits.size(); ++i) {
    if (logits[i] > logits[best] || std::isnan(logits[best])) best = i;
  }
  return static_cast<int32_t>(best);
}

int32_t draw(std::span<const float> logits, const SampleParams& params, uint32_t position,
             std::span<int32_t> order, std::span<double> probabilities) noexcept {
  if (!(params.temperature > 0)) return largest_logit(logits);
  // NaN sorts last, so that the order is strict.
  const auto before = [&](int32_t a, int32_t b) {
    const float x = std::isnan(logits[a]) ? -std::numeric_limits<float>::infinity() : logits[a];
    const float y = std::isnan(logits[b]) ? -std::numeric_limits<float>::infinity() : logits[b];
    return x > y || (x == y && a < b);
  };
  const size_t keep =
      params.top_k > 0 ? std::min<size_t>(static_cast<size_t>(params.top_k), order.size()) : order.size();
  std::iota(order.begin(), order.end(), 0);
  if (keep < order.size())
    std::nth_element(order.begin(), order.begin() + static_cast<ptrdiff_t>(keep), order.end(), before);
  std::sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(keep), before);
  const double largest = logits[order[0]];
  double sum = 0;
  for (size_t i = 0; i < keep; ++i) {
    probabilities[i] = std::exp((logits[order[i]] - largest) / double{params.temperature});
    sum += probabilities[i];
  }
  // Cut by top_p after the first prefix that reaches it; `mass` is what is left.
  double mass = 0;
  size_t kept = 0;
  while (kept < keep && (kept == 0 || mass < double{params.top_p} * sum)) mass += probabilities[kept++];
  const uint64_t seed = uint64_t{params.seed_high} << 32 | params.seed_low;
  const double target = double{philox_uniform(seed, position)} * mass;
  double running = 0;
  for (size_t i = 0; i < kept; ++i) {
    running += probabilities[i];
    if (running > target) return order[i];
  }
  return order[kept - 1];
}

void advance(const SampleArgs& args, size_t slot, int32_t token) noexcept {
  int32_t& position = args.positions.row<int32_t>(0)[slot];
  int32_t& remaining = args.remaining.row<int32_t>(0)[slot];
  args.ring.row<int32_t>(slot)[static_cast<uint32_t>(position) % args.ring.columns] = token;
  args.tokens.row<int32_t>(0)[slot] = token;
  position += 1;
  remaining -= 1;
  const std::span stops(args.stop_ids.ints(), args.stop_ids.columns);
  if (std::ranges::find(stops, token) != stops.end()) remaining = 0;
}

void sample_row(const SampleArgs& args, Team& team, size_t row) noexcept {
  const int32_t slot = args.slots.ints()[row];
  if (slot < 0 || static_cast<size_t>(slot) >= args.slot_count) {
    team.fail("[sample] slots: expected less than ", args.slot_count, ", got ", slot);
    return;
  }
  const auto at = static_cast<size_t>(slot);
  if (args.remaining.ints()[at] <= 0) return;
  SampleParams params;
  std::memcpy(&params, args.params.row<std::byte>(at), sizeof params);
  const size_t vocabulary = args.logits.columns;
  const int32_t token =
      draw({args.logits.floats(row), vocabulary}, params, static_cast<uint32_t>(args.positions.ints()[at]),
           {args.order + row * vocabulary, vocabulary}, {args.probabilities + row * vocabulary, vocabulary});
  advance(args, at, token);
}

}  // namespace

size_t workspace_of(const Sample& op, const Program& program) {
  return program.shape(op.logits).elements() * (sizeof(double) + sizeof(int32_t));
}

BoundKernel bind_kernel(const Sample& op, const Binder& binder) {
  const Program& program = binder.program();
  auto* probabilities = reinterpret_cast<double*>(binder.workspace());
  const SampleArgs args{
      .logits = binder.tensor(op.logits),
      .slots = binder.tensor(op.slots),
      .params = binder.tensor(op.params),
      .stop_ids = binder.tensor(op.stop_ids),
      .tokens = binder.tensor(op.tokens),
      .positions = binder.tensor(op.positions),
      .remaining = binder.tensor(op.remaining),
      .ring = binder.tensor(op.ring),
      .slot_count = program.shape(op.tokens)[0].max,
      .order = reinterpret_cast<int32_t*>(probabilities + program.shape(op.logits).elements()),
      .probabilities = probabilities};
  return [args](Team& team) {
    const size_t rows = team.count(args.logits.rows);
    team.share(rows, [&](size_t row) { sample_row(args, team, row); });
    return args.logits.bytes(rows) + rows * (sizeof(SampleParams) + 4 * sizeof(int32_t));
  };
}

}  // namespace linnet::cpu
