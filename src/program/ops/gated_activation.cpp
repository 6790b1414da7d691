#include "program/ops/gated_activation.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void GatedActivation::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.rank(x, "x", 2);
  operand.number(x, "x");
  const Dim wide = program.shape(x)[1];
  operand.require(wide.fixed() && wide.max % 2 == 0, "x", "an even number of columns",
                  concat(program.shape(x)));
  operand.shape(out, "out", {program.shape(x)[0], wide.max / 2});
  operand.number(out, "out");
  operand.writable(out, "out");
}

Value gated_activation(Recorder& recorder, Value x, ActivationKind kind, std::string_view name) {
  const Program& program = recorder.program();
  OperandCheck(program, GatedActivation::kName).rank(x, "x", 2);
  const Value out = recorder.scratch({program.shape(x)[0], program.shape(x)[1].max / 2}, Format::compute,
                                     std::string(name));
  recorder.record(GatedActivation{.x = x, .out = out, .kind = kind});
  return out;
}

}  // namespace linnet
