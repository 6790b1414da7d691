// Converts the weights of a GGUF file to another format, a chunk at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "format/format.h"

namespace linnet {

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
// was done. Throws Error(usage) for another target or when both paths are one file. Returns the last
// progress.
QuantizeProgress quantize_gguf(const std::filesystem::path& input, const std::filesystem::path& output,
                               const QuantizeOptions& options);

}  // namespace linnet
