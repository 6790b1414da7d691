// How a weight of another format than x's comes to the matrix units, which multiply numbers of one 16-bit
// format: a tile of its rows at a time, as parts of x's format whose sum it is.
//
// One part would be the weight rounded: 80 (k = 4096) to 600 times (k = 512) what check/tolerances/linear.cpp
// allows, which is roundings of f32. Parts of BF16 hold 8 bits each and one in the sign: two hold every F16
// (11 bits), three every F32 (24). Two parts of F16 hold every Q8_0 (a scale of 11 bits times a code of 7)
// below the largest F16; two of BF16 hold 17 of its 18 bits. One weight in sixty has the bit that is missing
// and is off by at most 2⁻¹⁷ of itself: at most 0.37 of the tolerance in 130,000 sums of 1024 terms (normal
// weights and x), 0.18 in sums of 2048, but 1.5 in sums of 256, so short sums take three parts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/format.h"

namespace linnet::cuda {

struct Unpacking {
  uint32_t parts = 0;  // 0: no parts of x's format hold such a weight
  uint32_t n = 0;
  uint32_t k = 0;
  uint32_t tiles = 0;

  // Of a tile; tile `tiles` would begin at row n. Tiles are equal but for 64 rows.
  [[nodiscard]] uint32_t first_row(uint32_t tile) const noexcept;
  [[nodiscard]] uint32_t rows(uint32_t tile) const noexcept { return first_row(tile + 1) - first_row(tile); }
  // Of one part of any tile, and of all its parts: where each begins is aligned to 256 bytes.
  [[nodiscard]] size_t part_bytes() const noexcept;
  [[nodiscard]] size_t bytes() const noexcept { return parts * part_bytes(); }
};

// Of a weight [n, k] in another format than x.
[[nodiscard]] Unpacking unpacking_of(Format weight, uint32_t n, uint32_t k, Format x) noexcept;

}  // namespace linnet::cuda
