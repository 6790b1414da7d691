// The face of every weight file: named tensors that lie in one or several mapped files, and the metadata
// beside them. A file format has a function that opens a path as a TensorFile (files/gguf.h,
// files/safetensors.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "files/metadata.h"
#include "format/format.h"

namespace linnet {

struct TensorInfo {
  std::string name;
  std::vector<uint64_t> shape;     // outermost first: a matrix is [rows, cols]; empty for a scalar
  std::optional<Format> format;    // nothing when this version does not read what is stored
  std::string_view stored_format;  // the file format's own name, e.g. "Q4_K"
  size_t elements = 0;
  size_t offset = 0;  // from the start of its file; the range was checked when the file was opened
  size_t bytes = 0;
  uint32_t file = 0;  // of TensorFile::files()

  // The format, or Error(model) saying that this version does not read what is stored.
  [[nodiscard]] Format readable_format() const;
};

class TensorFile {
 public:
  // At least one file. The tensors must lie inside theirs and have distinct names.
  TensorFile(std::vector<MappedFile> files, Metadata metadata, std::vector<TensorInfo> tensors);

  [[nodiscard]] std::span<const MappedFile> files() const noexcept { return files_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return files_.front().path(); }
  [[nodiscard]] const Metadata& metadata() const noexcept { return metadata_; }
  [[nodiscard]] std::span<const TensorInfo> tensors() const noexcept { return tensors_; }  // in file order

  // Null when there is none of that name.
  [[nodiscard]] const TensorInfo* find(std::string_view name) const;
  // Throws Error(model) when there is none of that name.
  [[nodiscard]] const TensorInfo& get(std::string_view name) const;
  // The tensor's bytes in the mapping; reading them makes pages resident.
  [[nodiscard]] std::span<const std::byte> bytes(const TensorInfo& tensor) const;
  // A copy of some of the tensor's bytes that leaves nothing resident.
  void read(const TensorInfo& tensor, size_t offset, std::span<std::byte> into) const;

 private:
  std::vector<MappedFile> files_;
  Metadata metadata_;
  std::vector<TensorInfo> tensors_;
  std::map<std::string_view, size_t> index_;  // views of the names in tensors_, which a move leaves in place
};

}  // namespace linnet
