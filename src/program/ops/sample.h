// Sample: draws the next token of each row and advances its slot, so that the next step needs nothing from
// the host.
//
// For row i with slot s = slots[i], if remaining[s] > 0: token = the draw; ring[s, positions[s] mod ring
// length] = token; tokens[s] = token; positions[s] += 1; remaining[s] -= 1, or 0 if the token is one of
// stop_ids. A slot with nothing remaining is left as it is: running it again rewrites the same cache entry
// with the same values.
//
// The draw: with temperature ≤ 0 the largest logit. Otherwise the top_k largest (0: all) are put in
// descending order, their softmax at the temperature is cut after the first prefix whose sum reaches top_p,
// and with u from Philox(key = seed, counter = positions[s]) the first token is taken at which the running
// sum exceeds u · sum of what is left. Equal logits are ordered by the smaller token.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

// One row of `params`: 32-bit words, floats by their bits.
struct SampleParams {
  float temperature = 0;
  int32_t top_k = 0;
  float top_p = 1;
  uint32_t seed_low = 0;
  uint32_t seed_high = 0;
  uint32_t reserved[3] = {};
};
inline constexpr uint32_t kSampleParamWords = 8;
static_assert(sizeof(SampleParams) == 4 * kSampleParamWords);

struct Sample {
  static constexpr std::string_view kName = "sample";
  Value logits;     // [n, vocabulary] f32
  Value slots;      // [n] i32
  Value params;     // [slots, kSampleParamWords] i32
  Value stop_ids;   // [any] i32, −1 where unused
  Value tokens;     // [slots] i32
  Value positions;  // [slots] i32: of the row whose logits these are
  Value remaining;  // [slots] i32
  Value ring;       // [slots, length] i32

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.logits, Access::read, "logits");
    visit(op.slots, Access::read, "slots");
    visit(op.params, Access::read, "params");
    visit(op.stop_ids, Access::read, "stop_ids");
    visit(op.tokens, Access::update, "tokens");
    visit(op.positions, Access::update, "positions");
    visit(op.remaining, Access::update, "remaining");
    visit(op.ring, Access::update, "ring");
  }
  void check(const Program& program) const;
};

}  // namespace linnet
