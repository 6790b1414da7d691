#include "program/ops/rope_angles.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void RopeAngles::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.rank(positions, "positions", 1);
  operand.format(positions, "positions", {Format::i32});
  operand.rank(frequencies, "frequencies", 2);
  const Dim pairs = program.shape(frequencies)[0];
  operand.shape(frequencies, "frequencies", {pairs, 2});
  operand.format(frequencies, "frequencies", {Format::f32});
  operand.shape(out, "out", {program.shape(positions)[0], pairs, 2});
  operand.format(out, "out", {Format::f32});
  operand.writable(out, "out");
}

Value rope_angles(Recorder& recorder, Value positions, Value frequencies, std::string_view name) {
  const Program& program = recorder.program();
  const OperandCheck operand(program, RopeAngles::kName);
  operand.rank(positions, "positions", 1);
  operand.rank(frequencies, "frequencies", 2);
  const Value out = recorder.scratch({program.shape(positions)[0], program.shape(frequencies)[0], 2},
                                     Format::f32, std::string(name));
  recorder.record(RopeAngles{.positions = positions, .frequencies = frequencies, .out = out});
  return out;
}

}  // namespace linnet
