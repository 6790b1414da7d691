#include "program/ops/attention.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void Attention::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.rank(q, "q", 3);
  operand.number(q, "q");
  const Shape& shape = program.shape(q);
  check_paging(operand, paging, shape[0], k_cache, v_cache);
  operand.require(program.shape(k_cache)[3] == shape[2] && shape[1].max % program.shape(k_cache)[1].max == 0,
                  "k_cache", concat("heads that divide those of ", shape), concat(program.shape(k_cache)));
  operand.shape(out, "out", {shape[0], shape[1].max * shape[2].max});
  operand.number(out, "out");
  operand.writable(out, "out");
}

Value attention(Recorder& recorder, Value q, const Paging& paging, Value k_cache, Value v_cache, float scale,
                std::string_view name) {
  const Program& program = recorder.program();
  OperandCheck(program, Attention::kName).rank(q, "q", 3);
  const Shape& shape = program.shape(q);
  const Value out =
      recorder.scratch({shape[0], shape[1].max * shape[2].max}, Format::compute, std::string(name));
  recorder.record(Attention{
      .q = q, .paging = paging, .k_cache = k_cache, .v_cache = v_cache, .out = out, .scale = scale});
  return out;
}

}  // namespace linnet
