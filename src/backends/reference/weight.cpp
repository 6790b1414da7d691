#include "backends/reference/weight.h"

#include <algorithm>

#include "base/checked.h"

namespace linnet::reference {
namespace {

// Elements that are converted at a time; a multiple of every block.
constexpr size_t kChunk = size_t{1} << 16;

std::unique_ptr<HostBuffer> converted(const ByteSource& source, size_t part, size_t elements, Format format) {
  const Format from = source.format(part);
  auto buffer = std::make_unique<HostBuffer>(bytes_of(format, elements));
  std::vector<std::byte> bytes(bytes_of(from, kChunk));
  std::vector<float> numbers(kChunk);
  for (size_t first = 0; first < elements; first += kChunk) {
    const size_t count = std::min(kChunk, elements - first);
    const std::span<std::byte> chunk = std::span(bytes).first(bytes_of(from, count));
    const std::span<float> values = std::span(numbers).first(count);
    source.read(part, bytes_of(from, first), chunk);
    linnet::decode(from, chunk, values);
    encode(format, values, {buffer->data() + bytes_of(format, first), bytes_of(format, count)});
  }
  return buffer;
}

std::unique_ptr<HostBuffer> copied(const ByteSource& source, size_t part, size_t bytes) {
  auto buffer = std::make_unique<HostBuffer>(bytes);
  source.read(part, 0, {buffer->data(), bytes});
  return buffer;
}

}  // namespace

Weight::Weight(const WeightSpec& spec, const ByteSource& source) : format_(spec.format) {
  for (size_t part = 0; part < spec.parts.size(); ++part) {
    const size_t elements = spec.parts[part].shape.elements();
    const size_t bytes = bytes_of(format_, elements);
    Stretch stretch{.first = elements_, .elements = elements, .bytes = {}, .copy = nullptr};
    if (source.format(part) != format_) {
      stretch.copy = converted(source, part, elements, format_);
    } else if (const auto mapped = source.mapped(part); mapped.size() >= bytes) {
      stretch.bytes = mapped.first(bytes);
    } else {
      stretch.copy = copied(source, part, bytes);
    }
    if (stretch.copy) stretch.bytes = {stretch.copy->data(), bytes};
    elements_ += elements;
    stretches_.push_back(std::move(stretch));
  }
}

void Weight::decode(size_t first, std::span<float> into) const {
  for (const Stretch& stretch : stretches_) {
    const size_t begin = std::max(first, stretch.first);
    const size_t end = std::min(first + into.size(), stretch.first + stretch.elements);
    if (begin >= end) continue;
    linnet::decode(format_, stretch.bytes.subspan(bytes_of(format_, begin - stretch.first)),
                   into.subspan(begin - first, end - begin));
  }
}

}  // namespace linnet::reference
