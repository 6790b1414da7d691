#include "backends/cuda/weight.h"

#include <cstring>
#include <vector>

#include "backends/cuda/check.h"
#include "base/float16.h"
#include "format/q8_0.h"

namespace linnet::cuda {
namespace {

constexpr size_t kAlignment = 256;
constexpr size_t kChunkElements = size_t{1} << 20;  // a multiple of every block

[[nodiscard]] size_t scales_offset(size_t elements) {
  return (elements + kAlignment - 1) / kAlignment * kAlignment;
}

// Codes and scales of blocks, apart.
void split_q8_0(std::span<const std::byte> blocks, std::span<std::byte> codes, std::span<std::byte> scales) {
  for (size_t i = 0; i < blocks.size() / sizeof(Q8_0Block); ++i) {
    const std::byte* block = blocks.data() + i * sizeof(Q8_0Block);
    std::memcpy(scales.data() + i * sizeof(uint16_t), block, sizeof(uint16_t));
    std::memcpy(codes.data() + i * Q8_0Block::kElements, block + sizeof(uint16_t), Q8_0Block::kElements);
  }
}

// Elements of one part, in the resident format.
void read_converted(const ByteSource& source, size_t part, size_t first, size_t count, Format format,
                    std::vector<std::byte>& into) {
  const Format stored = source.format(part);
  std::vector<std::byte> bytes(bytes_of(stored, count));
  source.read(part, bytes_of(stored, first), bytes);
  if (stored == format) {
    into.swap(bytes);
    return;
  }
  std::vector<float> values(count);
  decode(stored, bytes, values);
  into.resize(bytes_of(format, count));
  encode(format, values, into);
}

}  // namespace

size_t resident_bytes(Format format, size_t elements) {
  if (format != Format::q8_0) return bytes_of(format, elements);
  return scales_offset(elements) + elements / Q8_0Block::kElements * sizeof(uint16_t);
}

CudaWeight::CudaWeight(const WeightSpec& spec, const ByteSource& source, Queue& queue)
    : bytes_(resident_bytes(spec.format, spec.shape().elements())), memory_(allocate_device(bytes_)) {
  const Shape shape = spec.shape();
  matrix_ = {.data = memory_.get(),
             .scales = nullptr,
             .format = spec.format,
             .rows = shape.rank() == 1 ? 1 : shape[0].max,
             .columns = static_cast<uint32_t>(shape.rank() == 1 ? shape[0].max : shape.columns())};
  if (spec.format == Format::q8_0) matrix_.scales = memory_.get() + scales_offset(shape.elements());
  upload(spec, source, queue);
}

void CudaWeight::upload(const WeightSpec& spec, const ByteSource& source, Queue& queue) {
  std::vector<std::byte> bytes;
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  size_t done = 0;
  for (size_t part = 0; part < spec.parts.size(); ++part) {
    const size_t elements = spec.parts[part].shape.elements();
    for (size_t first = 0; first < elements; first += kChunkElements) {
      const size_t count = std::min(kChunkElements, elements - first);
      read_converted(source, part, first, count, spec.format, bytes);
      if (spec.format == Format::q8_0) {
        codes.resize(count);
        scales.resize(count / Q8_0Block::kElements * sizeof(uint16_t));
        split_q8_0(bytes, codes, scales);
        queue.write(memory_.get() + done, codes);
        queue.write(memory_.get() + scales_offset(spec.shape().elements()) +
                        done / Q8_0Block::kElements * sizeof(uint16_t),
                    scales);
      } else {
        queue.write(memory_.get() + bytes_of(spec.format, done), bytes);
      }
      done += count;
    }
  }
}

void CudaWeight::decode(std::span<float> into, Queue& queue) const {
  std::vector<std::byte> bytes(bytes_);
  check(cudaMemcpyAsync(bytes.data(), memory_.get(), bytes_, cudaMemcpyDeviceToHost, queue.stream()),
        "reading a weight");
  check(cudaStreamSynchronize(queue.stream()), "reading a weight");
  if (matrix_.format != Format::q8_0) return linnet::decode(matrix_.format, bytes, into);
  for (size_t i = 0; i < into.size(); ++i) {
    uint16_t scale = 0;
    const size_t place = scales_offset(into.size()) + i / Q8_0Block::kElements * sizeof scale;
    std::memcpy(&scale, bytes.data() + place, sizeof scale);
    into[i] = half_to_float(scale) * static_cast<float>(static_cast<int8_t>(bytes[i]));
  }
}

}  // namespace linnet::cuda
