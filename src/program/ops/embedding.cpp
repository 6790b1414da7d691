#include "program/ops/embedding.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void Embedding::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.rank(table, "table", 2);
  operand.format(table, "table", {Format::f32, Format::f16, Format::bf16, Format::q8_0});
  operand.rank(ids, "ids", 1);
  operand.format(ids, "ids", {Format::i32});
  operand.shape(out, "out", {program.shape(ids)[0], program.shape(table).back()});
  operand.number(out, "out");
  operand.writable(out, "out");
}

Value embedding(Recorder& recorder, Value table, Value ids, std::string_view name) {
  const Program& program = recorder.program();
  const OperandCheck operand(program, Embedding::kName);
  operand.rank(table, "table", 2);
  operand.rank(ids, "ids", 1);
  const Value out =
      recorder.scratch({program.shape(ids)[0], program.shape(table).back()}, Format::f32, std::string(name));
  recorder.record(Embedding{.table = table, .ids = ids, .out = out});
  return out;
}

}  // namespace linnet
