#include "program/ops/linear.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void check_product(const OperandCheck& operand, Value x, Value weight, Value bias) {
  const Program& program = operand.program();
  operand.present(x, "x");
  operand.rank(weight, "weight", 2);
  operand.format(weight, "weight", {Format::f32, Format::f16, Format::bf16, Format::q8_0});
  const Dim k = program.shape(x).back();
  operand.require(k == program.shape(weight)[1], "weight", concat("[n, ", k.max, "]"),
                  concat(program.shape(weight)));
  if (bias) operand.vector(bias, "bias", program.shape(weight)[0]);
}

void Linear::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  check_product(operand, x, weight, bias);
  operand.format(x, "x", {Format::f32, Format::f16, Format::bf16, Format::q8_a});
  operand.shape(out, "out", with_last(program.shape(x), program.shape(weight)[0]));
  operand.number(out, "out");
  operand.writable(out, "out");
}

Value linear(Recorder& recorder, Value x, Value weight, Value bias, std::string_view name,
             Format out_format) {
  const Program& program = recorder.program();
  check_product(OperandCheck(program, Linear::kName), x, weight, bias);
  const Shape shape = with_last(program.shape(x), program.shape(weight)[0]);
  const Value out = recorder.scratch(shape, out_format, std::string(name));
  recorder.record(Linear{.x = x, .weight = weight, .bias = bias, .out = out});
  return out;
}

}  // namespace linnet
