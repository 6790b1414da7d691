#include "program/ops/add.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void Add::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.number(a, "a");
  operand.number(b, "b");
  operand.like(b, "b", a);
  operand.like(out, "out", a);
  operand.number(out, "out");
  operand.writable(out, "out");
}

Value add(Recorder& recorder, Value a, Value b, std::string_view name) {
  OperandCheck(recorder.program(), Add::kName).present(a, "a");
  const ValueInfo& like = recorder.program().info(a);
  const Value out = recorder.scratch(like.shape, like.format, std::string(name));
  recorder.record(Add{.a = a, .b = b, .out = out});
  return out;
}

}  // namespace linnet
