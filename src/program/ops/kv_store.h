// KV store: writes each row's keys and values to its place in the paged cache.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/ops/paging.h"
#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

struct KvStore {
  static constexpr std::string_view kName = "kv_store";
  Value k;  // [rows, kv_heads, width]
  Value v;  // like k
  Paging paging;
  Value k_cache;  // [pages, kv_heads, kPageTokens, width]
  Value v_cache;  // like k_cache

  template <class Self, class Visit>
  static void operands(Self& op, Visit&& visit) {
    visit(op.k, Access::read, "k");
    visit(op.v, Access::read, "v");
    Paging::operands(op.paging, visit);
    visit(op.k_cache, Access::update, "k_cache");
    visit(op.v_cache, Access::update, "v_cache");
  }
  void check(const Program& program) const;
};

void kv_store(Recorder& recorder, Value k, Value v, const Paging& paging, Value k_cache, Value v_cache);

}  // namespace linnet
