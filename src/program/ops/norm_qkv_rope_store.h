// Fused, the first stage of a decoder layer: RMS norm, the stacked q|k|v product, RoPE on queries and keys,
// and the store of keys and values into the cache. The output is the rotated queries.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/ops/paging.h"
#include "program/ops/rope.h"
#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct NormQkvRopeStore {
  static constexpr std::string_view kName = "norm_qkv_rope_store";
  Value x;       // [rows, k] f32
  Value norm;    // [k] f32
  Value weight;  // [(heads + 2 · kv_heads) · width, k]
  Value bias;    // [(heads + 2 · kv_heads) · width] f32, or absent
  Value angles;  // [rows, pairs, 2] f32
  Paging paging;
  Value k_cache;  // [pages, kv_heads, kPageTokens, width]
  Value v_cache;  // like k_cache
  Value out;      // [rows, heads, width]
  float epsilon = 1e-5f;
  RopePairs pairs = RopePairs::adjacent;
  Format input = Format::compute;

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.x, Access::read, "x");
    visit(op.norm, Access::read, "norm");
    visit(op.weight, Access::read, "weight");
    visit(op.bias, Access::read, "bias");
    visit(op.angles, Access::read, "angles");
    Paging::operands(op.paging, visit);
    visit(op.k_cache, Access::update, "k_cache");
    visit(op.v_cache, Access::update, "v_cache");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
  void expand(Recorder& into) const;
};

}  // namespace linnet
