// Who has which rows of a product in the walk. Rows are taken in units of eight or four, each as two runs of
// neighbours, so that numbers which the end of a stage needs together come from one unit.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

namespace linnet::cuda {

// As many as one slot of the ring has: small units are shared more evenly.
[[nodiscard]] __host__ __device__ constexpr uint32_t unit_rows(bool codes) {
  return codes ? 8 : 4;
}
inline constexpr uint32_t kWalkRows = 256;  // of one stage and one block, at most

// The first blocks attend and take `fewer` units each. Of the `others` some take one more than `base`: the
// first `extra`, or the last.
struct WalkShare {
  uint16_t others;
  uint16_t base;
  uint16_t extra;
  uint16_t fewer;
  uint16_t from_behind;
};
[[nodiscard]] inline WalkShare share_units(uint32_t units, uint32_t blocks, uint32_t attending,
                                           uint32_t fewer) {
  const uint32_t others = blocks - attending;
  const uint32_t theirs = units - attending * fewer;
  return {.others = static_cast<uint16_t>(others),
          .base = static_cast<uint16_t>(theirs / others),
          .extra = static_cast<uint16_t>(theirs % others),
          .fewer = static_cast<uint16_t>(fewer),
          .from_behind = 0};
}

// Those who attend take as few as gives no other more than all would have.
[[nodiscard]] inline WalkShare share_with_few(uint32_t units, uint32_t blocks, uint32_t attending) {
  const uint32_t most = (units + blocks - 1) / blocks;
  const uint32_t fewer = attending == 0 ? 0 : most - std::min(most, (blocks * most - units) / attending);
  return share_units(units, blocks, attending, fewer);
}
// The large product beside one that was shared so: those who attend have less of that one and take some rows
// more than anybody here, and who has more of that one has less here, as far as that goes.
inline constexpr uint32_t kMoreRows = 8;
[[nodiscard]] inline WalkShare share_beside_few(uint32_t units, uint32_t blocks, uint32_t attending,
                                                uint32_t rows) {
  const uint32_t most = (units + blocks - 1) / blocks;
  const uint32_t theirs = most + kMoreRows / rows;
  const bool enough = attending * theirs <= units && theirs * rows <= kWalkRows;
  WalkShare share = share_units(units, blocks, attending,
                                attending == 0 ? 0
                                : enough       ? theirs
                                               : units / blocks);
  share.from_behind = 1;
  return share;
}
[[nodiscard]] inline uint32_t most_units(const WalkShare& share) {
  return std::max<uint32_t>(share.base + (share.extra != 0 ? 1 : 0), share.fewer);
}

// The units that a block takes.
struct Share {
  uint32_t first;
  uint32_t end;
};
[[nodiscard]] __host__ __device__ __forceinline__ Share units_of(const WalkShare& share, uint32_t block,
                                                                 uint32_t blocks) {
  const uint32_t others = share.others;
  const uint32_t base = share.base;
  const uint32_t extra = share.extra;
  const uint32_t fewer = share.fewer;
  uint32_t me = block + others;  // those who attend come behind the others
  if (me >= blocks) me -= blocks;
  if (me < others) {
    if (share.from_behind != 0) me = others - 1 - me;
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
  bool halves;  // rows of the first half of the unit belong to those of the second; else neighbours
};
[[nodiscard]] __host__ __device__ __forceinline__ UnitRows rows_of_unit(uint32_t rows, uint32_t shift,
                                                                        uint32_t half, uint32_t paired,
                                                                        uint32_t unit) {
  const uint32_t row = rows * unit;
  const uint32_t group = row >> shift;
  if (group >= paired) return {row, row + rows / 2, false};
  const uint32_t begin = group << shift;
  const uint32_t low = begin + (row - begin) / 2;
  return {low, low + half, true};
}

}  // namespace linnet::cuda
