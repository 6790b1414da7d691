// Weights as the CPU's kernels read them: rows where they lie in the file, or 8-bit panels packed for the dot
// product that this processor has. One resident copy serves lookup, decode and prompt.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/byte_source.h"
#include "device/host_buffer.h"
#include "program/weight_spec.h"

namespace linnet::cpu {

enum class Layout : uint8_t {
  rows,         // row after row, as the format says
  panels_quad,  // Q8_0 in panels of 16 rows, codes + 128 in fours: for 512-bit VNNI
  panels_pair,  // Q8_0 in panels of 16 rows, signed codes in pairs: widened to 16 bits
};

// A panel is 16 output rows; for every group of 32 inputs it has 16 binary16 scales and 512 codes:
//   panels_quad: codes[k / 4][row][k % 4] as unsigned code + 128, so that 64 bytes feed one dot of 16 rows
//   panels_pair: codes[k / 2][row][k % 2] signed, so that 32 bytes feed 16 pairs
// The same bytes per weight as the file: 34 for 32.
inline constexpr size_t kPanelRows = 16;
inline constexpr size_t kGroup = 32;
inline constexpr size_t kPanelScaleBytes = 2 * kPanelRows;
inline constexpr size_t kPanelGroupBytes = kPanelScaleBytes + kPanelRows * kGroup;

struct RowPart {
  size_t first_row = 0;
  const std::byte* data = nullptr;
};

class CpuWeight : public Buffer {
 public:
  // `own_bytes` of memory of its own (0: none; parts then point into the mapped file).
  CpuWeight(Layout layout, Format format, size_t rows, size_t columns, size_t own_bytes);

  [[nodiscard]] size_t bytes() const noexcept override { return bytes_; }
  [[nodiscard]] Layout layout() const noexcept { return layout_; }
  [[nodiscard]] Format format() const noexcept { return format_; }
  [[nodiscard]] size_t rows() const noexcept { return rows_; }
  [[nodiscard]] size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::byte* own() noexcept { return own_ ? own_->data() : nullptr; }

  // Layout::rows: the bytes of one row.
  [[nodiscard]] const std::byte* row(size_t index) const noexcept;
  [[nodiscard]] size_t row_bytes() const noexcept { return row_bytes_; }
  // Panels: the bytes of one panel of kPanelRows rows.
  [[nodiscard]] const std::byte* panel(size_t index) const noexcept {
    return own_->data() + index * panel_bytes_;
  }
  [[nodiscard]] size_t panel_bytes() const noexcept { return panel_bytes_; }

  // Row parts in ascending order of first_row, adopted from memory that outlives this.
  void set_parts(std::vector<RowPart> parts, size_t resident_bytes);
  // The values of one row, whatever the layout.
  void decode_row(size_t index, std::span<float> values) const;

 private:
  Layout layout_;
  Format format_;
  size_t rows_;
  size_t columns_;
  size_t row_bytes_;
  size_t panel_bytes_ = 0;
  size_t bytes_;
  std::unique_ptr<HostBuffer> own_;
  std::vector<RowPart> parts_;
};

// How a weight of that use and format is laid out here, and the bytes it takes.
[[nodiscard]] Layout layout_for(Use use, Format format, bool vnni) noexcept;
[[nodiscard]] size_t resident_bytes(Layout layout, Format format, size_t rows, size_t columns);

[[nodiscard]] std::unique_ptr<CpuWeight> load_weight(const WeightSpec& spec, const ByteSource& source,
                                                     bool vnni);

}  // namespace linnet::cpu
