// safetensors (specification: huggingface/safetensors, README): eight bytes with the length of a JSON header,
// the header, the tensors' data without a gap. Also models in several files with an index. Every file is
// hostile: nothing is read before it is known to be there, memory is a small multiple of the header, and an
// error is Error(model) reading "safetensors: …".
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/metadata.h"
#include "files/tensor_file.h"

namespace linnet {

struct SafetensorsContents {
  size_t data_offset = 0;           // where the tensors' data begins
  Metadata metadata;                // "__metadata__": strings only
  std::vector<TensorInfo> tensors;  // by their place in the file
};

[[nodiscard]] SafetensorsContents parse_safetensors(std::span<const std::byte> file);

// model.safetensors.index.json: which file has a tensor. Throws Error(model) for names of files that are no
// plain names: an index must not lead out of its folder.
[[nodiscard]] std::map<std::string, std::string> parse_safetensors_index(std::string_view text,
                                                                         const std::string& name);

// One file; the path is put before the message of an error.
[[nodiscard]] TensorFile open_safetensors(const std::filesystem::path& path);
// All files that an index names, from its folder. Throws Error(model) also where a file does not have what
// the index says, or two have a tensor of one name.
[[nodiscard]] TensorFile open_safetensors_index(const std::filesystem::path& index);

// The limit of the reference implementation.
inline constexpr size_t kLargestSafetensorsHeader = 100'000'000;
inline constexpr std::string_view kSafetensorsName = "model.safetensors";
inline constexpr std::string_view kSafetensorsIndexName = "model.safetensors.index.json";

}  // namespace linnet
