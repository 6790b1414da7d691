#include "program/ops/rope.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void Rope::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.rank(x, "x", 3);
  operand.number(x, "x");
  operand.rank(angles, "angles", 3);
  const uint32_t count = program.shape(angles)[1].max;
  operand.shape(angles, "angles", {program.shape(x)[0], count, 2});
  operand.format(angles, "angles", {Format::f32});
  operand.require(2 * count <= program.shape(x)[2].max, "angles",
                  concat("at most ", program.shape(x)[2].max / 2, " pairs"), concat(count));
  operand.like(out, "out", x);
  operand.number(out, "out");
  operand.writable(out, "out");
}

Value rope(Recorder& recorder, Value x, Value angles, RopePairs pairs, std::string_view name,
           Format out_format) {
  OperandCheck(recorder.program(), Rope::kName).rank(x, "x", 3);
  const Value out = recorder.scratch(recorder.program().shape(x), out_format, std::string(name));
  recorder.record(Rope{.x = x, .angles = angles, .out = out, .pairs = pairs});
  return out;
}

}  // namespace linnet
