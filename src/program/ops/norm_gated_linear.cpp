#include "program/ops/norm_gated_linear.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void NormGatedLinear::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  check_norm_product(operand, x, norm, weight, bias, input);
  const uint32_t wide = program.shape(weight)[0].max;
  operand.require(wide % 2 == 0, "weight", "an even number of rows", concat(program.shape(weight)));
  operand.shape(out, "out", {program.shape(x)[0], wide / 2});
  operand.number(out, "out");
  operand.writable(out, "out");
}

void NormGatedLinear::expand(Recorder& into) const {
  const Value wide = norm_linear(into, x, norm, epsilon, weight, bias, {}, input);
  into.record(GatedActivation{.x = wide, .out = out, .kind = kind});
}

Value norm_gated_linear(Recorder& recorder, Value x, Value norm, float epsilon, Value weight, Value bias,
                        ActivationKind kind, std::string_view name) {
  const Program& program = recorder.program();
  check_norm_product(OperandCheck(program, NormGatedLinear::kName), x, norm, weight, bias, Format::compute);
  const Value out = recorder.scratch({program.shape(x)[0], program.shape(weight)[0].max / 2}, Format::compute,
                                     std::string(name));
  recorder.record(NormGatedLinear{
      .x = x, .norm = norm, .weight = weight, .bias = bias, .out = out, .kind = kind, .epsilon = epsilon});
  return out;
}

}  // namespace linnet
