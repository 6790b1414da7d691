// Writes GGUF version 3: metadata and the list of tensors first, then the tensors' bytes chunk by chunk. The
// file grows under a temporary name beside its target and takes the target's name only when it is complete
// and on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "files/metadata.h"
#include "format/format.h"

namespace linnet {

struct GgufTensor {
  std::string name;
  std::vector<uint64_t> shape;  // outermost first
  Format format;
};

// Everything before the tensors' data, padded to the alignment (general.alignment of the metadata, or 32).
[[nodiscard]] std::vector<std::byte> encode_gguf_header(const Metadata& metadata,
                                                        std::span<const GgufTensor> tensors);

class GgufWriter {
 public:
  // Writes the header. Throws Error(failure) when the temporary file cannot be made.
  GgufWriter(std::filesystem::path target, const Metadata& metadata, std::vector<GgufTensor> tensors);
  GgufWriter(const GgufWriter&) = delete;
  GgufWriter& operator=(const GgufWriter&) = delete;
  // Removes the temporary file unless finish() succeeded.
  ~GgufWriter();

  // The next bytes of the tensors, in their order and without padding; one chunk may span several tensors.
  void write(std::span<const std::byte> bytes);
  // Throws if bytes are missing; otherwise the file is under its final name when this returns.
  void finish();

 private:
  void open_temporary();
  void write_raw(std::span<const std::byte> bytes);
  void pad_and_advance();

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  std::vector<size_t> sizes_;  // of the tensors' data, without padding
  size_t alignment_;
  size_t current_ = 0;  // tensor that the next byte belongs to
  size_t written_of_current_ = 0;
  int descriptor_ = -1;
};

}  // namespace linnet
