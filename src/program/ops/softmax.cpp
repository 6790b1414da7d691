#include "program/ops/softmax.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void Softmax::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.number(x, "x");
  operand.like(out, "out", x);
  operand.number(out, "out");
  operand.writable(out, "out");
}

Value softmax(Recorder& recorder, Value x, std::string_view name) {
  OperandCheck(recorder.program(), Softmax::kName).present(x, "x");
  const Value out = recorder.scratch(recorder.program().shape(x), Format::f32, std::string(name));
  recorder.record(Softmax{.x = x, .out = out});
  return out;
}

}  // namespace linnet
