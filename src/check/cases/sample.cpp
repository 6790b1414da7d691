#include <bit>

#include "check/case.h"

namespace linnet {
namespace {

struct Draw {
  int32_t slot;
  SampleParams params;
  int32_t position = 5;
  int32_t remaining = 10;
};

// Slots that no row names are filled all the same: they must be left alone.
Case drawn(const std::string& name, uint32_t vocabulary, const std::vector<Draw>& draws,
           Fill logits_fill = Fill::normal(3), std::vector<int32_t> stop_ids = {-1, -1}) {
  constexpr uint32_t kSlots = 6;
  constexpr uint32_t kRing = 7;
  const auto count = static_cast<uint32_t>(draws.size());
  CaseBuilder builder(concat("sample/", name, "_", vocabulary));
  const Dim rows = builder.extent("rows", count + 2, count);
  std::vector<int32_t> slots, params(kSlots * kSampleParamWords, 0), positions(kSlots, 3),
      remaining(kSlots, 9);
  for (const Draw& draw : draws) {
    slots.push_back(draw.slot);
    int32_t* words = params.data() + draw.slot * int32_t{kSampleParamWords};
    words[0] = std::bit_cast<int32_t>(draw.params.temperature);
    words[1] = draw.params.top_k;
    words[2] = std::bit_cast<int32_t>(draw.params.top_p);
    words[3] = std::bit_cast<int32_t>(draw.params.seed_low);
    words[4] = std::bit_cast<int32_t>(draw.params.seed_high);
    positions[draw.slot] = draw.position;
    remaining[draw.slot] = draw.remaining;
  }
  slots.resize(count + 2, -9);
  const auto stops = static_cast<uint32_t>(stop_ids.size());
  const Value logits = builder.input({rows, vocabulary}, Format::f32, "logits", std::move(logits_fill));
  const Value slots_value = builder.input({rows}, Format::i32, "slots", Fill::integers(slots));
  const Value params_value =
      builder.state({kSlots, kSampleParamWords}, Format::i32, "params", Fill::integers(params));
  const Value stop_value =
      builder.input({Dim(stops)}, Format::i32, "stop_ids", Fill::integers(std::move(stop_ids)));
  const Value tokens =
      builder.state({Dim(kSlots)}, Format::i32, "tokens", Fill::integers({100, 101, 102, 103, 104, 105}));
  const Value positions_value =
      builder.state({Dim(kSlots)}, Format::i32, "positions", Fill::integers(positions));
  const Value remaining_value =
      builder.state({Dim(kSlots)}, Format::i32, "remaining", Fill::integers(remaining));
  const Value ring = builder.state({kSlots, kRing}, Format::i32, "ring", Fill::integers({-3}));
  return builder.record(Sample{.logits = logits,
                               .slots = slots_value,
                               .params = params_value,
                               .stop_ids = stop_value,
                               .tokens = tokens,
                               .positions = positions_value,
                               .remaining = remaining_value,
                               .ring = ring});
}

std::vector<Draw> with_params(SampleParams params) {
  std::vector<Draw> draws;
  for (int32_t i = 0; i < 6; ++i) {
    params.seed_low += 1;
    draws.push_back({.slot = (i * 5 + 1) % 6, .params = params, .position = i * 1000});
  }
  return draws;
}

}  // namespace

template <>
std::vector<Case> cases<Sample>() {
  const SampleParams greedy{};
  const SampleParams plain{.temperature = 1, .seed_low = 77, .seed_high = 1};
  std::vector<Case> all;
  for (const uint32_t vocabulary : {1u, 2u, 33u, 257u, 5000u}) {
    all.push_back(drawn("greedy", vocabulary, {{3, greedy}, {0, greedy}}));
    all.push_back(drawn("plain", vocabulary, with_params(plain)));
  }
  all.push_back(drawn("ties", 64, {{3, greedy}, {5, greedy}}, Fill::values({1, 2, 0.5f, 2, -3, 2, 1})));
  all.push_back(drawn("all_equal", 65, with_params(plain), Fill::values({0.25f})));
  all.push_back(drawn("negative", 65, {{1, greedy}}, Fill::normal(1, -50)));
  all.push_back(drawn("top_k", 300, with_params({.temperature = 0.8f, .top_k = 5, .seed_low = 3})));
  all.push_back(drawn("top_k_one", 300, with_params({.temperature = 2, .top_k = 1, .seed_low = 3})));
  all.push_back(drawn("top_k_ties", 40, with_params({.temperature = 2, .top_k = 3, .seed_low = 3}),
                      Fill::values({1, 1, 0, 1, 1})));
  all.push_back(drawn("top_k_too_large", 30, with_params({.temperature = 1, .top_k = 1000, .seed_low = 5})));
  all.push_back(drawn("top_p", 300, with_params({.temperature = 1, .top_p = 0.7f, .seed_low = 11})));
  all.push_back(drawn("top_p_zero", 300, with_params({.temperature = 1, .top_p = 0, .seed_low = 11})));
  all.push_back(drawn("top_k_top_p", 300,
                      with_params({.temperature = 1.5f, .top_k = 20, .top_p = 0.8f, .seed_low = 9})));
  all.push_back(drawn("cold", 300, with_params({.temperature = 0.05f, .seed_low = 2})));
  all.push_back(drawn("hot", 300, with_params({.temperature = 50, .seed_low = 2})));
  all.push_back(drawn("nothing_remaining", 33, {{2, greedy, 4, 0}, {1, plain, 9, 1}, {4, greedy, 8, -1}}));
  all.push_back(drawn("ring_wraps", 33, {{2, greedy, 6}, {1, greedy, 7}, {5, greedy, 700001}}));
  std::vector<float> peak(50, 0.0f);
  peak[17] = 9;
  all.push_back(drawn("stops", 50, {{2, greedy}, {4, plain}}, Fill::values(peak), {-1, 17, 3}));
  std::vector<int32_t> many(1100, 3);  // more than threads look at once
  many.back() = 17;
  all.push_back(drawn("many_stops", 50, {{2, greedy}}, Fill::values(peak), many));
  return all;
}

}  // namespace linnet
