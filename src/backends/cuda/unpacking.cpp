#include "backends/cuda/unpacking.h"

#include <algorithm>

namespace linnet::cuda {
namespace {

// A tile is written and read again while it lies in the L2 cache (50 MB on an H100 or H200), as far as that
// leaves products that fill the GPU: 1024 × 2048 outputs are 128 tiles of 128 × 128, one for each
// multiprocessor. More rows than 4096 bring nothing, and a test of several tiles stays small.
constexpr size_t kTileBytes = size_t{32} << 20;
constexpr uint32_t kLeastRows = 1024;
constexpr uint32_t kMostRows = 4096;
constexpr uint32_t kUnit = 64;  // rows that keep f32 results aligned to 256 bytes, as cuBLASLt expects them
constexpr uint32_t kLongSum = 1024;

uint32_t parts_of(Format weight, uint32_t k, Format x) {
  if (x == Format::f16) return weight == Format::q8_0 ? 2 : 0;
  if (x != Format::bf16) return 0;
  switch (weight) {
    case Format::f16:
      return 2;
    case Format::f32:
      return 3;
    case Format::q8_0:
      return k >= kLongSum ? 2 : 3;
    default:
      return 0;
  }
}

uint32_t units_of(uint32_t n) {
  return (n + kUnit - 1) / kUnit;
}

}  // namespace

uint32_t Unpacking::first_row(uint32_t tile) const noexcept {
  const uint64_t unit = uint64_t{tile} * units_of(n) / tiles;
  return static_cast<uint32_t>(std::min<uint64_t>(unit * kUnit, n));
}

size_t Unpacking::part_bytes() const noexcept {
  const size_t units = (units_of(n) + tiles - 1) / tiles;
  return units * kUnit * k * sizeof(uint16_t);
}

Unpacking unpacking_of(Format weight, uint32_t n, uint32_t k, Format x) noexcept {
  const uint32_t parts = parts_of(weight, k, x);
  if (parts == 0 || n == 0 || k == 0) return {};
  const size_t fitting = kTileBytes / (size_t{parts} * k * sizeof(uint16_t));
  const auto most = static_cast<uint32_t>(std::clamp<size_t>(fitting, kLeastRows, kMostRows));
  const uint32_t units = most / kUnit;
  return {.parts = parts, .n = n, .k = k, .tiles = (units_of(n) + units - 1) / units};
}

}  // namespace linnet::cuda
