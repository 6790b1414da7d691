// Writes a GGUF file of the tensors of another file, converted to one format, a chunk at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "files/metadata.h"
#include "files/tensor_file.h"
#include "format/format.h"

namespace linnet {

// What the new file is made of.
struct GgufContentsToWrite {
  struct Tensor {
    std::string name;
    const TensorInfo* from = nullptr;  // of the file that is read; null: `values`
    std::vector<float> values = {};    // a vector that no file has, written as F32
    std::vector<uint32_t> rows = {};   // row i is row rows[i] of the source; empty: in their order
  };
  Metadata metadata;
  std::vector<Tensor> tensors;
};

// A GGUF file as it is, of however many parts, without the keys of the parts.
[[nodiscard]] GgufContentsToWrite same_contents(const TensorFile& gguf);

struct QuantizeProgress {
  std::string_view tensor;  // the one that has just been written
  size_t tensors_done = 0;
  size_t tensors_total = 0;
  size_t bytes_read = 0;  // tensor data only
  size_t bytes_written = 0;
};

struct QuantizeOptions {
  Format target = Format::q8_0;  // f32, f16, bf16 or q8_0
  std::function<void(const QuantizeProgress&)> progress;
};

// Tensors of two or more dimensions whose rows fill whole blocks of the target get the target format; other
// such tensors keep theirs; vectors and scalars become F32, and integers stay. general.file_type says what
// was done. Throws Error(usage) for another target or when the output is one of the files that are read.
// Returns the last progress.
QuantizeProgress quantize(const TensorFile& file, const GgufContentsToWrite& contents,
                          const std::filesystem::path& output, const QuantizeOptions& options);

}  // namespace linnet
