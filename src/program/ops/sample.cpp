#include "program/ops/sample.h"

#include <utility>

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void Sample::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.rank(logits, "logits", 2);
  operand.format(logits, "logits", {Format::f32});
  operand.shape(slots, "slots", {program.shape(logits)[0]});
  operand.rank(tokens, "tokens", 1);
  const Dim capacity = program.shape(tokens)[0];
  operand.shape(params, "params", {capacity, kSampleParamWords});
  operand.rank(stop_ids, "stop_ids", 1);
  operand.like(positions, "positions", tokens);
  operand.like(remaining, "remaining", tokens);
  operand.rank(ring, "ring", 2);
  operand.shape(ring, "ring", {capacity, program.shape(ring)[1]});
  for (const auto& [value, name] :
       {std::pair{slots, "slots"}, std::pair{params, "params"}, std::pair{stop_ids, "stop_ids"},
        std::pair{tokens, "tokens"}, std::pair{positions, "positions"}, std::pair{remaining, "remaining"},
        std::pair{ring, "ring"}}) {
    operand.format(value, name, {Format::i32});
  }
  for (const auto& [value, name] : {std::pair{tokens, "tokens"}, std::pair{positions, "positions"},
                                    std::pair{remaining, "remaining"}, std::pair{ring, "ring"}}) {
    operand.writable(value, name);
  }
}

}  // namespace linnet
