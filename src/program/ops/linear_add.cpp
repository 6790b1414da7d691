#include "program/ops/linear_add.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void LinearAdd::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  check_product(operand, x, weight, bias);
  operand.rank(x, "x", 2);
  operand.number(x, "x");
  operand.require(input == Format::compute || input == Format::q8_a, "input", "compute or q8_a",
                  concat(input));
  operand.shape(out, "out", {program.shape(x)[0], program.shape(weight)[0]});
  operand.format(out, "out", {Format::f32});
  operand.writable(out, "out");
  operand.like(residual, "residual", out);
  operand.format(residual, "residual", {Format::f32});
}

void LinearAdd::expand(Recorder& into) const {
  const Value operand = input == Format::q8_a ? quantize(into, x) : x;
  const Value product = linear(into, operand, weight, bias);
  into.record(Add{.a = product, .b = residual, .out = out});
}

Value linear_add(Recorder& recorder, Value x, Value weight, Value bias, Value residual,
                 std::string_view name) {
  OperandCheck(recorder.program(), LinearAdd::kName).present(residual, "residual");
  const Value out = recorder.scratch(recorder.program().shape(residual), Format::f32, std::string(name));
  recorder.record(LinearAdd{.x = x, .weight = weight, .bias = bias, .residual = residual, .out = out});
  return out;
}

}  // namespace linnet
