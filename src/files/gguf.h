// GGUF version 2 and 3, little endian (specification: ggml/docs/gguf.md). Every file is hostile: sizes are
// checked before they are used, memory is a small multiple of the file's size at most, and an error is
// Error(model) reading "gguf: at offset 123: …". Not read: version 1, big-endian files, arrays of arrays (no
// known model has one).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "files/metadata.h"
#include "files/tensor_file.h"
#include "format/format.h"

namespace linnet {

struct GgufContents {
  uint32_t version = 0;
  size_t alignment = 0;
  size_t data_offset = 0;  // where the tensors' data begins
  Metadata metadata;       // string arrays are views into the bytes that were parsed
  std::vector<TensorInfo> tensors;
};

[[nodiscard]] GgufContents parse_gguf(std::span<const std::byte> file);

// parse_gguf of a mapped file, or of all parts if it is one of several (files/gguf_split.h); the path is put
// before the message of an error.
[[nodiscard]] TensorFile open_gguf(const std::filesystem::path& path);

inline constexpr size_t kGgufDefaultAlignment = 32;
// The specification asks for a multiple of 8 and every writer uses a power of two. A larger one than a huge
// page buys nothing and only makes files whose padding is larger than their contents.
inline constexpr size_t kGgufSmallestAlignment = 8;
inline constexpr size_t kGgufLargestAlignment = size_t{1} << 21;
inline constexpr uint32_t kGgufMostDimensions = 4;

// A tensor type of GGUF: also those this version cannot compute with, so that their ranges can be checked.
struct GgufType {
  uint32_t id;
  std::string_view name;
  uint32_t block_elements;
  uint32_t block_bytes;
  std::optional<Format> format;
};

[[nodiscard]] const GgufType* gguf_type(uint32_t id) noexcept;    // null for an unknown id
[[nodiscard]] const GgufType* gguf_type(Format format) noexcept;  // null if GGUF has no such type

}  // namespace linnet
