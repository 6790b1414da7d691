#include "program/ops/activation.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

std::string_view to_string(ActivationKind kind) noexcept {
  switch (kind) {
    case ActivationKind::silu:
      return "silu";
    case ActivationKind::gelu:
      return "gelu";
    case ActivationKind::gelu_tanh:
      return "gelu_tanh";
  }
  return "?";
}

void Activation::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.number(x, "x");
  operand.like(out, "out", x);
  operand.number(out, "out");
  operand.writable(out, "out");
}

Value activation(Recorder& recorder, Value x, ActivationKind kind, std::string_view name) {
  OperandCheck(recorder.program(), Activation::kName).present(x, "x");
  const Value out = recorder.scratch(recorder.program().shape(x), Format::compute, std::string(name));
  recorder.record(Activation{.x = x, .out = out, .kind = kind});
  return out;
}

}  // namespace linnet
