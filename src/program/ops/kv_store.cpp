#include "program/ops/kv_store.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void KvStore::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  operand.rank(k, "k", 3);
  operand.number(k, "k");
  operand.like(v, "v", k);
  operand.number(v, "v");
  check_paging(operand, paging, program.shape(k)[0], k_cache, v_cache);
  operand.require(
      program.shape(k_cache)[1] == program.shape(k)[1] && program.shape(k_cache)[3] == program.shape(k)[2],
      "k_cache", concat("the heads of ", program.shape(k)), concat(program.shape(k_cache)));
  operand.writable(k_cache, "k_cache");
  operand.writable(v_cache, "v_cache");
}

void kv_store(Recorder& recorder, Value k, Value v, const Paging& paging, Value k_cache, Value v_cache) {
  recorder.record(KvStore{.k = k, .v = v, .paging = paging, .k_cache = k_cache, .v_cache = v_cache});
}

}  // namespace linnet
