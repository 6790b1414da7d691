// How rows of a batch belong to sequences and where a sequence's keys and values lie: what KvStore and
// Attention share. Sequence s of the batch has the rows row_starts[s] to row_starts[s + 1] and lives in slot
// sequence_slots[s]; rows behind those of the last sequence belong to none, are not stored and have no
// attention, whatever their output is. Token p of a slot is token p mod kPageTokens of page page_table[slot,
// p / kPageTokens]. Page 0 belongs to nobody: slots without work write there.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/value.h"

namespace linnet {

struct Program;
class Recorder;

inline constexpr uint32_t kPageTokens = 64;

struct Paging {
  Value positions;       // [rows] i32: where in its sequence a row stands
  Value row_starts;      // [sequences + 1] i32, ascending from 0
  Value sequence_slots;  // [≤ sequences] i32
  Value page_table;      // [slots, pages a slot] i32, each in [0, pages)

  template <class Self, class Visit>
  static void operands(Self& paging, Visit&& visit) {
    visit(paging.positions, Access::read, "positions");
    visit(paging.row_starts, Access::read, "row_starts");
    visit(paging.sequence_slots, Access::read, "sequence_slots");
    visit(paging.page_table, Access::read, "page_table");
  }
};

class OperandCheck;
// The paging's own shapes, and caches [pages, kv_heads, kPageTokens, width] alike for keys and values.
void check_paging(const OperandCheck& operand, const Paging& paging, Dim rows, Value k_cache, Value v_cache);

}  // namespace linnet
