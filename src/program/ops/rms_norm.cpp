#include "program/ops/rms_norm.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void RmsNorm::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.number(x, "x");
  operand.vector(weight, "weight", program.shape(x).back());
  operand.like(out, "out", x);
  operand.number(out, "out");
  operand.writable(out, "out");
}

Value rms_norm(Recorder& recorder, Value x, Value weight, float epsilon, std::string_view name,
               Format out_format) {
  OperandCheck(recorder.program(), RmsNorm::kName).present(x, "x");
  const Value out = recorder.scratch(recorder.program().shape(x), out_format, std::string(name));
  recorder.record(RmsNorm{.x = x, .weight = weight, .out = out, .epsilon = epsilon});
  return out;
}

}  // namespace linnet
