// Attention over the paged cache, causal, with grouped heads and ragged queries: row r of a sequence, at
// position p, sees that sequence's tokens 0 to p. Query head h reads key head h / (heads / kv_heads).
#pragma once

#include <cstdint>
#include <string_view>

#include "program/ops/paging.h"
#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct Attention {
  static constexpr std::string_view kName = "attention";
  Value q;  // [rows, heads, width]
  Paging paging;
  Value k_cache;  // [pages, kv_heads, kPageTokens, width]
  Value v_cache;  // like k_cache
  Value out;      // [rows, heads · width]
  float scale = 1.0f;

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.q, Access::read, "q");
    Paging::operands(op.paging, visit);
    visit(op.k_cache, Access::read, "k_cache");
    visit(op.v_cache, Access::read, "v_cache");
    visit(op.out, Access::write, "out");
  }
  void check(const Program& program) const;
};

Value attention(Recorder& recorder, Value q, const Paging& paging, Value k_cache, Value v_cache, float scale,
                std::string_view name = {});

}  // namespace linnet
