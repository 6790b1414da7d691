#include "format/format.h"

#include <array>
#include <ostream>

#include "base/checked.h"
#include "format/bf16.h"
#include "format/f16.h"
#include "format/f32.h"
#include "format/i32.h"
#include "format/q8_0.h"
#include "format/q8_a.h"

namespace linnet {
namespace {

constexpr std::array<FormatTraits, 8> kTraits = {{
    {"f32", 1, 4},
    {"f16", 1, 2},
    {"bf16", 1, 2},
    {"q8_0", Q8_0Block::kElements, sizeof(Q8_0Block)},
    {"q8_a", Q8ABlock::kElements, sizeof(Q8ABlock)},
    {"i32", 1, 4},
    {"compute", 0, 0},
    {"kv", 0, 0},
}};

void require_room(Format format, size_t elements, size_t bytes) {
  if (bytes < bytes_of(format, elements)) {
    fail(ErrorKind::failure, "[", format, "] ", elements, " elements need ", bytes_of(format, elements),
         " bytes, got ", bytes);
  }
}

}  // namespace

const FormatTraits& traits(Format format) noexcept {
  return kTraits[static_cast<size_t>(format)];
}

std::optional<Format> format_named(std::string_view name) noexcept {
  for (size_t i = 0; i < kTraits.size(); ++i) {
    if (kTraits[i].name == name) return static_cast<Format>(i);
  }
  return std::nullopt;
}

std::ostream& operator<<(std::ostream& out, Format format) {
  return out << traits(format).name;
}

size_t bytes_of(Format format, size_t elements) {
  const FormatTraits& t = traits(format);
  if (t.block_elements == 0) fail(ErrorKind::failure, "[", t.name, "] has no size before it is resolved");
  if (elements % t.block_elements != 0) {
    fail(ErrorKind::failure, "[", t.name, "] ", elements, " elements are not whole blocks of ",
         t.block_elements);
  }
  return size_product(elements / t.block_elements, t.block_bytes);
}

void decode(Format format, std::span<const std::byte> bytes, std::span<float> values) {
  require_room(format, values.size(), bytes.size());
  switch (format) {
    case Format::f32:
      return decode_f32(bytes, values);
    case Format::f16:
      return decode_f16(bytes, values);
    case Format::bf16:
      return decode_bf16(bytes, values);
    case Format::q8_0:
      return decode_q8_0(bytes, values);
    case Format::q8_a:
      return decode_q8_a(bytes, values);
    case Format::i32:
      return decode_i32(bytes, values);
    case Format::compute:
    case Format::kv:
      break;  // bytes_of has thrown
  }
}

void encode(Format format, std::span<const float> values, std::span<std::byte> bytes) {
  require_room(format, values.size(), bytes.size());
  switch (format) {
    case Format::f32:
      return encode_f32(values, bytes);
    case Format::f16:
      return encode_f16(values, bytes);
    case Format::bf16:
      return encode_bf16(values, bytes);
    case Format::q8_0:
      return encode_q8_0(values, bytes);
    case Format::q8_a:
      return encode_q8_a(values, bytes);
    case Format::i32:
      return encode_i32(values, bytes);
    case Format::compute:
    case Format::kv:
      break;
  }
}

}  // namespace linnet
