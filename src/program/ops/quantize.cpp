#include "program/ops/quantize.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void Quantize::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.number(x, "x");
  operand.like(out, "out", x);
  operand.format(out, "out", {Format::q8_a});
  operand.writable(out, "out");
}

Value quantize(Recorder& recorder, Value x, std::string_view name) {
  OperandCheck(recorder.program(), Quantize::kName).present(x, "x");
  const Value out = recorder.scratch(recorder.program().shape(x), Format::q8_a, std::string(name));
  recorder.record(Quantize{.x = x, .out = out});
  return out;
}

}  // namespace linnet
