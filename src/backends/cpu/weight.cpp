#include "backends/cpu/weight.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/checked.h"
#include "base/float16.h"
#include "format/q8_0.h"

namespace linnet::cpu {
namespace {

// Bytes read from the file at a time while weights are packed or converted.
constexpr size_t kChunkBytes = size_t{4} << 20;

struct PanelCode {
  size_t scale;  // offset of the row's scale in the panel's group
  size_t code;   // offset of the code
};

PanelCode place_in_panel(Layout layout, size_t row, size_t k) noexcept {
  const size_t width = layout == Layout::panels_quad ? 4 : 2;
  return {2 * row, kPanelScaleBytes + (k / width * kPanelRows + row) * width + k % width};
}

// Unsigned operands of VNNI start at 128: flipping the top bit turns a signed code into code + 128, and back.
constexpr uint8_t top_bit(Layout layout) noexcept {
  return layout == Layout::panels_quad ? 0x80 : 0;
}

// The codes of one row go out in runs of Width neighbours, kPanelRows · Width bytes apart.
template <size_t Width>
void scatter_codes(const int8_t* codes, uint8_t flip, std::byte* to) noexcept {
  for (size_t k = 0; k < kGroup; k += Width) {
    uint8_t run[Width];
    for (size_t i = 0; i < Width; ++i) run[i] = static_cast<uint8_t>(codes[k + i]) ^ flip;
    std::memcpy(to + k * kPanelRows, run, Width);
  }
}

void pack_row(CpuWeight& weight, size_t row, std::span<const std::byte> blocks) noexcept {
  std::byte* panel = weight.own() + row / kPanelRows * weight.panel_bytes();
  const PanelCode place = place_in_panel(weight.layout(), row % kPanelRows, 0);
  for (size_t group = 0; group < weight.columns() / kGroup; ++group) {
    Q8_0Block block;
    std::memcpy(&block, blocks.data() + group * sizeof block, sizeof block);
    std::byte* at = panel + group * kPanelGroupBytes;
    std::memcpy(at + place.scale, &block.scale, sizeof block.scale);
    if (weight.layout() == Layout::panels_quad) {
      scatter_codes<4>(block.codes, top_bit(weight.layout()), at + place.code);
    } else {
      scatter_codes<2>(block.codes, top_bit(weight.layout()), at + place.code);
    }
  }
}

// Calls visit(row, bytes) for every row of a part, reading a chunk of rows at a time.
template <class Visit>
void for_each_row(const ByteSource& source, size_t part, size_t rows, size_t row_bytes, Visit&& visit) {
  const size_t chunk_rows = std::max<size_t>(1, kChunkBytes / row_bytes);
  std::vector<std::byte> chunk(std::min(rows, chunk_rows) * row_bytes);
  for (size_t first = 0; first < rows; first += chunk_rows) {
    const size_t count = std::min(chunk_rows, rows - first);
    const auto bytes = std::span(chunk).first(count * row_bytes);
    source.read(part, first * row_bytes, bytes);
    for (size_t i = 0; i < count; ++i) visit(first + i, bytes.subspan(i * row_bytes, row_bytes));
  }
}

// Makes mapped pages resident now, so that the first token does not wait for them one by one.
void touch(std::span<const std::byte> bytes) noexcept {
  constexpr size_t kPage = 4096;
  std::byte seen{};
  for (size_t i = 0; i < bytes.size(); i += kPage) seen ^= bytes[i];
  // The reads must stay although nobody wants the result.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  asm volatile("" : : "r"(static_cast<unsigned>(seen)));
}

bool can_adopt(const WeightSpec& spec, const ByteSource& source, Layout layout) {
  if (layout != Layout::rows || spec.use == Use::vector) return false;
  for (size_t part = 0; part < spec.parts.size(); ++part) {
    if (source.format(part) != spec.format || source.mapped(part).empty()) return false;
  }
  return true;
}

void adopt(CpuWeight& weight, const WeightSpec& spec, const ByteSource& source) {
  std::vector<RowPart> parts;
  size_t row = 0;
  size_t bytes = 0;
  for (size_t part = 0; part < spec.parts.size(); ++part) {
    const auto mapped = source.mapped(part);
    touch(mapped);
    parts.push_back({row, mapped.data()});
    row += spec.parts[part].shape.rows().max;
    bytes += mapped.size();
  }
  weight.set_parts(std::move(parts), bytes);
}

void copy_rows(CpuWeight& weight, const WeightSpec& spec, const ByteSource& source) {
  size_t row = 0;
  std::vector<float> values(weight.columns());
  std::vector<std::byte> converted(bytes_of(spec.format, weight.columns()));
  for (size_t part = 0; part < spec.parts.size(); ++part) {
    const size_t rows = spec.parts[part].shape.rows().max;
    const size_t columns = spec.parts[part].shape.columns();
    for_each_row(source, part, rows, bytes_of(source.format(part), columns),
                 [&](size_t, std::span<const std::byte> from) {
                   const std::span<float> decoded(values.data(), columns);
                   if (source.format(part) != spec.format) {
                     decode(source.format(part), from, decoded);
                     encode(spec.format, decoded, converted);
                     from = std::span<const std::byte>(converted).first(bytes_of(spec.format, columns));
                   }
                   if (weight.layout() == Layout::rows) {
                     std::memcpy(weight.own() + row, from.data(), from.size());
                     row += from.size();  // bytes so far: also right for the parts of a stacked vector
                   } else {
                     pack_row(weight, row, from);
                     ++row;
                   }
                 });
  }
}

}  // namespace

CpuWeight::CpuWeight(Layout layout, Format format, size_t rows, size_t columns, size_t own_bytes)
    : layout_(layout),
      format_(format),
      rows_(rows),
      columns_(columns),
      row_bytes_(bytes_of(format, columns)),
      bytes_(own_bytes) {
  if (layout != Layout::rows) panel_bytes_ = columns / kGroup * kPanelGroupBytes;
  if (own_bytes == 0) return;
  own_ = std::make_unique<HostBuffer>(own_bytes);
  parts_ = {{0, own_->data()}};
}

const std::byte* CpuWeight::row(size_t index) const noexcept {
  size_t part = parts_.size() - 1;
  while (parts_[part].first_row > index) --part;
  return parts_[part].data + (index - parts_[part].first_row) * row_bytes_;
}

void CpuWeight::set_parts(std::vector<RowPart> parts, size_t resident) {
  parts_ = std::move(parts);
  bytes_ = resident;
}

void CpuWeight::decode_row(size_t index, std::span<float> values) const {
  if (layout_ == Layout::rows) return decode(format_, {row(index), row_bytes_}, values);
  const std::byte* from = panel(index / kPanelRows);
  for (size_t k = 0; k < columns_; ++k) {
    const std::byte* group = from + k / kGroup * kPanelGroupBytes;
    const PanelCode place = place_in_panel(layout_, index % kPanelRows, k % kGroup);
    uint16_t scale = 0;
    std::memcpy(&scale, group + place.scale, sizeof scale);
    const auto code = static_cast<int8_t>(static_cast<uint8_t>(group[place.code]) ^ top_bit(layout_));
    values[k] = half_to_float(scale) * static_cast<float>(code);
  }
}

Layout layout_for(Use use, Format format, bool vnni) noexcept {
  const bool product = use == Use::matrix || use == Use::tied;
  if (format != Format::q8_0 || !product) return Layout::rows;
  return vnni ? Layout::panels_quad : Layout::panels_pair;
}

size_t resident_bytes(Layout layout, Format format, size_t rows, size_t columns) {
  if (layout == Layout::rows) return size_product(rows, bytes_of(format, columns));
  return size_product(divide_up(rows, kPanelRows), columns / kGroup * kPanelGroupBytes);
}

std::unique_ptr<CpuWeight> load_weight(const WeightSpec& spec, const ByteSource& source, bool vnni) {
  const Shape shape = spec.shape();
  const size_t rows = shape.rows().max;
  const size_t columns = shape.columns();
  const Layout layout = layout_for(spec.use, spec.format, vnni);
  const bool adopts = can_adopt(spec, source, layout);
  const size_t own = adopts ? 0 : resident_bytes(layout, spec.format, rows, columns);
  auto weight = std::make_unique<CpuWeight>(layout, spec.format, rows, columns, own);
  if (adopts) {
    adopt(*weight, spec, source);
  } else {
    copy_rows(*weight, spec, source);
  }
  return weight;
}

}  // namespace linnet::cpu
