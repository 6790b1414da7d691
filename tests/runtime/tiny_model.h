// Small Llama models with random weights and a SentencePiece-style vocabulary (special tokens, 256 bytes,
// letters and a few merges), written as GGUF: the same bytes for the same description, everywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "files/gguf_writer.h"
#include "files/metadata.h"
#include "files/tensor_file.h"
#include "format/format.h"

namespace linnet::testing {

struct TinyModel {
  uint32_t width = 64;
  uint32_t layers = 2;
  uint32_t heads = 4;
  uint32_t kv_heads = 2;
  uint32_t mlp_width = 96;
  uint32_t context = 256;
  uint32_t vocabulary = 0;      // 0: that of tiny_vocabulary(); more: filled up with tokens of no use
  Format format = Format::f32;  // of the matrices; norms and biases are f32
  bool tied = false;
  bool biases = false;
  uint64_t seed = 1;
};

[[nodiscard]] uint32_t tiny_vocabulary_size();
[[nodiscard]] Metadata tiny_metadata(const TinyModel& model);
[[nodiscard]] std::vector<GgufTensor> tiny_tensors(const TinyModel& model);

void write_tiny_model(const std::filesystem::path& path, const TinyModel& model);
// The same header, and a hole of the right size where the weights would be: planning must not read them.
void write_header_only(const std::filesystem::path& path, const TinyModel& model);
void write_header_only(const std::filesystem::path& path, const Metadata& metadata,
                       const std::vector<GgufTensor>& tensors);

// A path that nobody else uses; the file, if one is made, is removed with the object.
class TemporaryPath {
 public:
  explicit TemporaryPath(const char* extension = ".gguf");
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  operator const std::filesystem::path&() const noexcept { return path_; }  // NOLINT: stands for the path

 private:
  std::filesystem::path path_;
};

// Written, opened and unlinked: the mapping keeps it.
[[nodiscard]] TensorFile open_tiny_model(const TinyModel& model);

}  // namespace linnet::testing
