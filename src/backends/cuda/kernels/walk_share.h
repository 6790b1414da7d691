// Who has which rows of a product in the walk. Rows are taken in units of eight, each as two runs of four
// neighbours, so that numbers which the end of a stage needs together come from one unit.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

namespace linnet::cuda {

inline constexpr uint32_t kUnitRows = 8;

// Which block comes first, and the units they take: `extra` blocks one more than `base`, and those behind the
// `others`, which attend, fewer.
struct WalkShare {
  uint16_t turn;
  uint16_t others;
  uint16_t base;
  uint16_t extra;
  uint16_t fewer;
};

// The blocks share the units of a product evenly, from block `turn` on; but the last `attending` take fewer
// where that gives no other more than it would have had.
[[nodiscard]] inline WalkShare share_units(uint32_t units, uint32_t blocks, uint32_t turn,
                                           uint32_t attending) {
  const uint32_t most = (units + blocks - 1) / blocks;
  const uint32_t fewer = attending == 0 ? 0 : most - std::min(most, (blocks * most - units) / attending);
  const uint32_t others = blocks - attending;
  const uint32_t theirs = units - attending * fewer;
  return {.turn = static_cast<uint16_t>(turn % blocks),
          .others = static_cast<uint16_t>(others),
          .base = static_cast<uint16_t>(theirs / others),
          .extra = static_cast<uint16_t>(theirs % others),
          .fewer = static_cast<uint16_t>(fewer)};
}

// The units that a block takes.
struct Share {
  uint32_t first;
  uint32_t end;
};
[[nodiscard]] __host__ __device__ __forceinline__ Share units_of(const WalkShare& share, uint32_t block,
                                                                 uint32_t blocks) {
  uint32_t me = block + share.turn;
  if (me >= blocks) me -= blocks;
  const uint32_t others = share.others;
  const uint32_t base = share.base;
  const uint32_t extra = share.extra;
  const uint32_t fewer = share.fewer;
  if (me < others) {
    const uint32_t first = me * base + (me < extra ? me : extra);
    return {first, first + base + (me < extra ? 1 : 0)};
  }
  const uint32_t first = others * base + extra + (me - others) * fewer;
  return {first, first + fewer};
}

// The rows of a unit. Those of the first `paired` groups of 2^shift rows belong together in halves: row i and
// row i + half; all others as neighbours.
struct UnitRows {
  uint32_t low;
  uint32_t high;
  bool halves;  // (i, i + 4) of the unit belong together; else (2i, 2i + 1)
};
[[nodiscard]] __host__ __device__ __forceinline__ UnitRows rows_of_unit(uint32_t shift, uint32_t half,
                                                                        uint32_t paired, uint32_t unit) {
  const uint32_t row = kUnitRows * unit;
  const uint32_t group = row >> shift;
  if (group >= paired) return {row, row + 4, false};
  const uint32_t begin = group << shift;
  const uint32_t low = begin + (row - begin) / 2;
  return {low, low + half, true};
}

}  // namespace linnet::cuda
