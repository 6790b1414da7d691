#include "program/ops/paging.h"

#include <utility>

#include "program/checks.h"
#include "program/recorder.h"

namespace linnet {

void check_paging(const OperandCheck& operand, const Paging& paging, Dim rows, Value k_cache, Value v_cache) {
  const Program& program = operand.program();
  operand.shape(paging.positions, "positions", {rows});
  operand.rank(paging.sequence_slots, "sequence_slots", 1);
  operand.shape(paging.row_starts, "row_starts", {program.shape(paging.sequence_slots)[0].max + 1});
  operand.rank(paging.page_table, "page_table", 2);
  for (const auto& [value, name] :
       {std::pair{paging.positions, "positions"}, std::pair{paging.row_starts, "row_starts"},
        std::pair{paging.sequence_slots, "sequence_slots"}, std::pair{paging.page_table, "page_table"}}) {
    operand.format(value, name, {Format::i32});
  }
  operand.rank(k_cache, "k_cache", 4);
  operand.require(program.shape(k_cache)[2] == Dim(kPageTokens), "k_cache",
                  concat("pages of ", kPageTokens, " tokens"), concat(program.shape(k_cache)));
  operand.number(k_cache, "k_cache");
  operand.like(v_cache, "v_cache", k_cache);
  operand.require(program.format(v_cache) == program.format(k_cache), "v_cache",
                  concat(program.format(k_cache)), concat(program.format(v_cache)));
}

}  // namespace linnet
