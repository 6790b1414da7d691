#include "program/ops/norm_linear.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void check_norm_product(const OperandCheck& operand, Value x, Value norm, Value weight, Value bias,
                        Format input) {
  operand.rank(x, "x", 2);
  operand.format(x, "x", {Format::f32});
  operand.vector(norm, "norm", operand.program().shape(x).back());
  check_product(operand, x, weight, bias);
  operand.require(input == Format::compute || input == Format::q8_a, "input", "compute or q8_a",
                  concat(input));
}

void NormLinear::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  check_norm_product(operand, x, norm, weight, bias, input);
  operand.shape(out, "out", {program.shape(x)[0], program.shape(weight)[0]});
  operand.format(out, "out", {Format::f32});
  operand.writable(out, "out");
}

void NormLinear::expand(Recorder& into) const {
  const Format normed_format = input == Format::q8_a ? Format::f32 : Format::compute;
  Value normed = rms_norm(into, x, norm, epsilon, {}, normed_format);
  if (input == Format::q8_a) normed = quantize(into, normed);
  into.record(Linear{.x = normed, .weight = weight, .bias = bias, .out = out});
}

Value norm_linear(Recorder& recorder, Value x, Value norm, float epsilon, Value weight, Value bias,
                  std::string_view name, Format input) {
  const Program& program = recorder.program();
  check_norm_product(OperandCheck(program, NormLinear::kName), x, norm, weight, bias, input);
  const Value out =
      recorder.scratch({program.shape(x)[0], program.shape(weight)[0]}, Format::f32, std::string(name));
  recorder.record(NormLinear{
      .x = x, .norm = norm, .weight = weight, .bias = bias, .out = out, .epsilon = epsilon, .input = input});
  return out;
}

}  // namespace linnet
