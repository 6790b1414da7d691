#include "program/ops/layer_norm.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void LayerNorm::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.number(x, "x");
  if (weight) operand.vector(weight, "weight", program.shape(x).back());
  if (bias) operand.vector(bias, "bias", program.shape(x).back());
  operand.like(out, "out", x);
  operand.number(out, "out");
  operand.writable(out, "out");
}

Value layer_norm(Recorder& recorder, Value x, Value weight, Value bias, float epsilon, std::string_view name,
                 Format out_format) {
  OperandCheck(recorder.program(), LayerNorm::kName).present(x, "x");
  const Value out = recorder.scratch(recorder.program().shape(x), out_format, std::string(name));
  recorder.record(LayerNorm{.x = x, .weight = weight, .bias = bias, .out = out, .epsilon = epsilon});
  return out;
}

}  // namespace linnet
