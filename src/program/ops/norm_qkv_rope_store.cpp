#include "program/ops/norm_qkv_rope_store.h"

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void NormQkvRopeStore::check(const Program& program) const {
  const OperandCheck operand(program, kName);
  check_norm_product(operand, x, norm, weight, bias, input);
  operand.rank(out, "out", 3);
  operand.number(out, "out");
  operand.writable(out, "out");
  const Dim rows = program.shape(x)[0];
  const Shape& q = program.shape(out);
  operand.shape(out, "out", {rows, q[1], q[2]});
  check_paging(operand, paging, rows, k_cache, v_cache);
  const Dim kv_heads = program.shape(k_cache)[1];
  operand.require(program.shape(k_cache)[3] == q[2], "k_cache", concat("heads as wide as those of ", q),
                  concat(program.shape(k_cache)));
  operand.shape(weight, "weight", {(q[1].max + 2 * kv_heads.max) * q[2].max, program.shape(x)[1]});
  operand.rank(angles, "angles", 3);
  operand.format(angles, "angles", {Format::f32});
  const uint32_t count = program.shape(angles)[1].max;
  operand.shape(angles, "angles", {rows, count, 2});
  operand.require(2 * count <= q[2].max, "angles", concat("at most ", q[2].max / 2, " pairs"), concat(count));
  operand.writable(k_cache, "k_cache");
  operand.writable(v_cache, "v_cache");
}

void NormQkvRopeStore::expand(Recorder& into) const {
  const Dim rows = into.program().shape(x)[0];
  const uint32_t heads = into.program().shape(out)[1].max;
  const uint32_t width = into.program().shape(out)[2].max;
  const uint32_t kv_heads = into.program().shape(k_cache)[1].max;
  const Value qkv = norm_linear(into, x, norm, epsilon, weight, bias, {}, input);
  const Value q = into.view(qkv, 0, {rows, heads, width});
  const Value k = into.view(qkv, size_t{heads} * width, {rows, kv_heads, width});
  const Value v = into.view(qkv, size_t{heads + kv_heads} * width, {rows, kv_heads, width});
  into.record(Rope{.x = q, .angles = angles, .out = out, .pairs = pairs});
  const Value rotated = rope(into, k, angles, pairs, {}, Format::f32);
  kv_store(into, rotated, v, paging, k_cache, v_cache);
}

}  // namespace linnet
