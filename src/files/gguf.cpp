#include "files/gguf.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/quoted.h"
#include "files/gguf_cursor.h"
#include "files/gguf_split.h"

namespace linnet {
namespace {

constexpr uint64_t kLongestName = 65535;  // the specification's limit for keys, taken for tensor names too
constexpr uint32_t kArrayType = 9;
// The shortest encodings; a count that the rest of the file cannot hold is refused before anything is made
// for it.
constexpr uint64_t kSmallestEntry = 8 + 4 + 1;           // empty key, type, one byte
constexpr uint64_t kSmallestTensor = 8 + 4 + 0 + 4 + 8;  // empty name, no dimensions, type, offset

[[nodiscard]] bool read_bool(GgufCursor& cursor, std::string_view what) {
  const size_t at = cursor.offset();
  const auto byte = cursor.number<uint8_t>(what);
  if (byte > 1) fail_gguf(at, what, " is a bool with the value ", +byte);
  return byte == 1;
}

template <class Value>
[[nodiscard]] Value read_scalar(GgufCursor& cursor, std::string_view what) {
  if constexpr (std::same_as<Value, bool>) {
    return read_bool(cursor, what);
  } else if constexpr (std::same_as<Value, std::string>) {
    return std::string(cursor.string(what));
  } else {
    return cursor.number<Value>(what);
  }
}

template <class Array>
[[nodiscard]] Array read_elements(GgufCursor& cursor, std::string_view what) {
  if constexpr (std::same_as<Array, StringArray>) {
    const uint64_t count = cursor.count(sizeof(uint64_t), what);
    std::vector<std::string_view> views;
    views.reserve(count);
    for (uint64_t i = 0; i < count; ++i) views.push_back(cursor.string(what));
    return StringArray(std::move(views));
  } else if constexpr (std::same_as<Array, std::vector<bool>>) {
    const uint64_t count = cursor.count(1, what);
    std::vector<bool> flags;
    flags.reserve(count);
    for (uint64_t i = 0; i < count; ++i) flags.push_back(read_bool(cursor, what));
    return flags;
  } else {
    using Number = typename Array::value_type;
    const uint64_t count = cursor.count(sizeof(Number), what);
    Array numbers(count);
    const auto bytes = cursor.take(count * sizeof(Number), what);
    if (count > 0) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }
}

// Calls visit.template operator()<Alternative>() for the alternative of the variant with that index.
template <class Variant, class Visit, size_t... I>
[[nodiscard]] Variant make_alternative(size_t index, Visit visit, std::index_sequence<I...>) {
  Variant result;
  ((index == I ? void(result = visit.template operator()<std::variant_alternative_t<I, Variant>>()) : void()),
   ...);
  return result;
}

[[nodiscard]] MetadataArray read_array(GgufCursor& cursor, std::string_view what) {
  const size_t at = cursor.offset();
  const auto type = cursor.number<uint32_t>(what);
  if (type == kArrayType) fail_gguf(at, what, " is an array of arrays, which this version does not read");
  if (type >= std::variant_size_v<MetadataValue>)
    fail_gguf(at, what, " has elements of the unknown type ", type);
  const size_t index = type < kArrayType ? type : type - 1;
  return make_alternative<MetadataArray>(
      index, [&]<class Array>() { return read_elements<Array>(cursor, what); },
      std::make_index_sequence<std::variant_size_v<MetadataArray>>());
}

[[nodiscard]] MetadataValue read_value(GgufCursor& cursor, std::string_view what) {
  const size_t at = cursor.offset();
  const auto type = cursor.number<uint32_t>(what);
  if (type >= std::variant_size_v<MetadataValue>) fail_gguf(at, what, " has the unknown type ", type);
  return make_alternative<MetadataValue>(
      type,
      [&]<class Value>() -> MetadataValue {
        if constexpr (std::same_as<Value, MetadataArray>) {
          return read_array(cursor, what);
        } else {
          return read_scalar<Value>(cursor, what);
        }
      },
      std::make_index_sequence<std::variant_size_v<MetadataValue>>());
}

[[nodiscard]] std::string read_name(GgufCursor& cursor, std::string_view what) {
  const size_t at = cursor.offset();
  const std::string_view name = cursor.string(what);
  if (name.empty()) fail_gguf(at, what, " is empty");
  if (name.size() > kLongestName)
    fail_gguf(at, what, " has ", name.size(), " bytes; at most ", kLongestName, " are allowed");
  return std::string(name);
}

[[nodiscard]] size_t checked_alignment(const Metadata& metadata, size_t at) {
  const MetadataValue* value = metadata.find("general.alignment");
  if (value == nullptr) return kGgufDefaultAlignment;
  const auto* alignment = std::get_if<uint32_t>(value);
  if (alignment == nullptr) fail_gguf(at, "general.alignment: expected u32, got ", type_name(*value));
  if (!std::has_single_bit(*alignment) || *alignment < kGgufSmallestAlignment ||
      *alignment > kGgufLargestAlignment) {
    fail_gguf(at, "general.alignment is ", *alignment, "; expected a power of two from ",
              kGgufSmallestAlignment, " to ", kGgufLargestAlignment);
  }
  return *alignment;
}

void read_metadata(GgufCursor& cursor, uint64_t count, GgufContents& into) {
  size_t alignment_at = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const size_t at = cursor.offset();
    std::string key = read_name(cursor, "a metadata key");
    if (into.metadata.contains(key)) fail_gguf(at, "metadata key ", quoted_name(key), " appears twice");
    if (key == "general.alignment") alignment_at = at;
    MetadataValue value = read_value(cursor, quoted_name(key));
    into.metadata.set(std::move(key), std::move(value));
  }
  into.alignment = checked_alignment(into.metadata, alignment_at);
}

void read_shape(GgufCursor& cursor, TensorInfo& tensor) {
  const size_t at = cursor.offset();
  const auto dimensions = cursor.number<uint32_t>("a tensor's number of dimensions");
  if (dimensions > kGgufMostDimensions) {
    fail_gguf(at, "tensor ", quoted_name(tensor.name), " has ", dimensions, " dimensions; at most ",
              kGgufMostDimensions, " are allowed");
  }
  uint64_t elements = 1;
  tensor.shape.resize(dimensions);
  for (uint32_t i = 0; i < dimensions; ++i) {  // innermost first in the file
    const size_t dimension_at = cursor.offset();
    const auto dimension = cursor.number<uint64_t>("a tensor's dimensions");
    if (dimension == 0) fail_gguf(dimension_at, "tensor ", quoted_name(tensor.name), " has a dimension of 0");
    const auto product = checked_multiply(elements, dimension);
    if (!product)
      fail_gguf(dimension_at, "tensor ", quoted_name(tensor.name),
                ": the product of its dimensions does not fit in 64 bits");
    elements = *product;
    tensor.shape[dimensions - 1 - i] = dimension;
  }
  tensor.elements = elements;
}

void read_type(GgufCursor& cursor, TensorInfo& tensor) {
  const size_t at = cursor.offset();
  const auto id = cursor.number<uint32_t>("a tensor's type");
  const GgufType* type = gguf_type(id);
  if (type == nullptr) fail_gguf(at, "tensor ", quoted_name(tensor.name), " has the unknown type ", id);
  const uint64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
  if (row % type->block_elements != 0) {
    fail_gguf(at, "tensor ", quoted_name(tensor.name), ": rows of ", row,
              " elements do not fill whole blocks of ", type->block_elements, " in ", type->name);
  }
  const auto bytes = checked_multiply(tensor.elements / type->block_elements, type->block_bytes);
  if (!bytes) fail_gguf(at, "tensor ", quoted_name(tensor.name), ": its size does not fit in 64 bits");
  tensor.format = type->format;
  tensor.stored_format = type->name;
  tensor.bytes = *bytes;
}

// Leaves in `offset` what the file says: relative to the data section. Returns where in the file it says so.
[[nodiscard]] size_t read_tensor(GgufCursor& cursor, size_t alignment, TensorInfo& tensor) {
  tensor.name = read_name(cursor, "a tensor's name");
  read_shape(cursor, tensor);
  read_type(cursor, tensor);
  const size_t at = cursor.offset();
  tensor.offset = cursor.number<uint64_t>("a tensor's offset");
  if (tensor.offset % alignment != 0) {
    fail_gguf(at, "tensor ", quoted_name(tensor.name), ": its data's offset ", tensor.offset,
              " is not a multiple of the alignment ", alignment);
  }
  return at;
}

// Makes the offsets relative to the file and checks that the ranges lie inside it, each by itself.
void place_tensors(GgufContents& contents, std::span<const size_t> stated_at, size_t file_size) {
  for (size_t i = 0; i < contents.tensors.size(); ++i) {
    TensorInfo& tensor = contents.tensors[i];
    const auto begin = checked_add(contents.data_offset, tensor.offset);
    const auto end = begin ? checked_add(*begin, tensor.bytes) : std::nullopt;
    if (!end)
      fail_gguf(stated_at[i], "tensor ", quoted_name(tensor.name),
                ": the end of its data does not fit in 64 bits");
    if (*end > file_size) {
      fail_gguf(stated_at[i], "tensor ", quoted_name(tensor.name), " takes bytes ", *begin, " to ", *end,
                " but the file ends at ", file_size);
    }
    tensor.offset = *begin;
  }
  std::vector<size_t> by_offset(contents.tensors.size());
  std::iota(by_offset.begin(), by_offset.end(), size_t{0});
  std::sort(by_offset.begin(), by_offset.end(), [&](size_t a, size_t b) {
    return std::pair(contents.tensors[a].offset, a) < std::pair(contents.tensors[b].offset, b);
  });
  for (size_t i = 1; i < by_offset.size(); ++i) {
    const TensorInfo& before = contents.tensors[by_offset[i - 1]];
    const TensorInfo& after = contents.tensors[by_offset[i]];
    if (after.offset < before.offset + before.bytes) {
      fail_gguf(stated_at[by_offset[i]], "the data of tensors ", quoted_name(before.name), " and ",
                quoted_name(after.name), " overlap");
    }
  }
}

[[nodiscard]] uint32_t read_version(GgufCursor& cursor) {
  constexpr std::string_view kMagic = "GGUF";
  const auto magic = cursor.take(kMagic.size(), "the magic number");
  if (std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0) fail_gguf(0, "this is not a GGUF file");
  const size_t at = cursor.offset();
  const auto version = cursor.number<uint32_t>("the version");
  if (version == 2 || version == 3) return version;
  const bool swapped = version == 0x02000000u || version == 0x03000000u;
  fail_gguf(at, swapped ? "big-endian files are" : concat("version ", version, " is"),
            " not read; expected version 2 or 3");
}

}  // namespace

GgufContents parse_gguf(std::span<const std::byte> file) {
  GgufCursor cursor(file);
  GgufContents contents;
  contents.version = read_version(cursor);
  const size_t tensor_count_at = cursor.offset();
  const uint64_t tensor_count = cursor.count(kSmallestTensor, "the number of tensors");
  read_metadata(cursor, cursor.count(kSmallestEntry, "the number of metadata entries"), contents);

  if (tensor_count > cursor.remaining() / kSmallestTensor) {
    fail_gguf(tensor_count_at, "the number of tensors is ", tensor_count, ", more than the ",
              cursor.remaining(), " bytes after the metadata can hold");
  }
  std::vector<size_t> stated_at;
  std::set<std::string, std::less<>> names;
  for (uint64_t i = 0; i < tensor_count; ++i) {
    const size_t at = cursor.offset();
    TensorInfo tensor;
    stated_at.push_back(read_tensor(cursor, contents.alignment, tensor));
    if (!names.insert(tensor.name).second)
      fail_gguf(at, "tensor ", quoted_name(tensor.name), " appears twice");
    contents.tensors.push_back(std::move(tensor));
  }
  // A vocabulary without weights may end before the padding.
  contents.data_offset = align_up(cursor.offset(), contents.alignment);
  place_tensors(contents, stated_at, file.size());
  return contents;
}

namespace {

// The path is put before the message of an error.
template <class Work>
[[nodiscard]] auto with_path(const std::filesystem::path& path, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    fail(error.kind(), "'", path.string(), "': ", error.what());
  }
}

[[nodiscard]] GgufContents parse_mapped(const MappedFile& file) {
  return with_path(file.path(), [&] { return parse_gguf(file.bytes()); });
}

}  // namespace

TensorFile open_gguf(const std::filesystem::path& path) {
  std::vector<MappedFile> files;
  files.emplace_back(path);
  GgufContents contents = parse_mapped(files.front());
  if (const auto split = with_path(path, [&] { return gguf_split(contents.metadata); })) {
    files.clear();
    std::vector<GgufContents> parts;
    for (const std::filesystem::path& part : split_paths(path, *split)) {
      files.emplace_back(part);
      parts.push_back(parse_mapped(files.back()));
    }
    contents = with_path(path, [&] { return join_gguf_parts(std::move(parts)); });
  }
  return {std::move(files), std::move(contents.metadata), std::move(contents.tensors)};
}

}  // namespace linnet
