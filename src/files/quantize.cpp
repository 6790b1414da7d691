#include "files/quantize.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "files/gguf.h"
#include "files/gguf_writer.h"

namespace linnet {
namespace {

// Elements converted at a time: a multiple of every block, 4 MiB as floats: large enough for the disk, small
// beside any model.
constexpr size_t kChunkElements = size_t{1} << 20;

// llama.cpp's numbers for general.file_type; nothing for a format that is no target.
[[nodiscard]] std::optional<uint32_t> file_type(Format format) {
  switch (format) {
    case Format::f32:
      return 0;
    case Format::f16:
      return 1;
    case Format::q8_0:
      return 7;
    case Format::bf16:
      return 32;
    default:
      return std::nullopt;
  }
}

[[nodiscard]] Format format_for(const TensorInfo& tensor, Format target) {
  const Format stored = tensor.readable_format();
  if (stored == Format::i32) return stored;
  if (tensor.shape.size() < 2) return Format::f32;
  return tensor.shape.back() % traits(target).block_elements == 0 ? target : stored;
}

void refuse_same_file(const std::filesystem::path& input, const std::filesystem::path& output) {
  std::error_code ignored;  // an output that does not exist is no error
  if (std::filesystem::equivalent(input, output, ignored)) {
    fail(ErrorKind::usage, "quantize: '", output.string(), "' is the input itself");
  }
}

// Reads one tensor chunk by chunk and passes it on in the new format.
class Converter {
 public:
  explicit Converter(const TensorFile& file) : file_(file) {}

  // Returns the bytes written.
  size_t convert(const TensorInfo& tensor, Format to, GgufWriter& writer) {
    const Format from = tensor.readable_format();
    size_t written = 0;
    for (size_t done = 0; done < tensor.elements; done += kChunkElements) {
      const size_t count = std::min(kChunkElements, tensor.elements - done);
      stored_.resize(bytes_of(from, count));
      file_.file().read(tensor.offset + bytes_of(from, done), stored_);
      written += pass_on(from, to, count, writer);
    }
    return written;
  }

 private:
  size_t pass_on(Format from, Format to, size_t count, GgufWriter& writer) {
    if (from == to) {
      writer.write(stored_);
      return stored_.size();
    }
    values_.resize(count);
    converted_.resize(bytes_of(to, count));
    decode(from, stored_, values_);
    encode(to, values_, converted_);
    writer.write(converted_);
    return converted_.size();
  }

  const TensorFile& file_;
  std::vector<std::byte> stored_, converted_;
  std::vector<float> values_;
};

}  // namespace

QuantizeProgress quantize_gguf(const std::filesystem::path& input, const std::filesystem::path& output,
                               const QuantizeOptions& options) {
  const auto type = file_type(options.target);
  if (!type)
    fail(ErrorKind::usage, "quantize: ", options.target, " is no target; expected f32, f16, bf16 or q8_0");
  const TensorFile file = open_gguf(input);
  refuse_same_file(input, output);

  Metadata metadata = file.metadata();
  metadata.set("general.file_type", *type);
  if (options.target == Format::q8_0) metadata.set("general.quantization_version", uint32_t{2});
  std::vector<GgufTensor> tensors;
  for (const TensorInfo& tensor : file.tensors()) {
    tensors.push_back({tensor.name, tensor.shape, format_for(tensor, options.target)});
  }

  GgufWriter writer(output, metadata, tensors);
  Converter converter(file);
  QuantizeProgress progress;
  progress.tensors_total = tensors.size();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& tensor = file.tensors()[i];
    progress.bytes_written += converter.convert(tensor, tensors[i].format, writer);
    progress.bytes_read += tensor.bytes;
    progress.tensors_done = i + 1;
    progress.tensor = tensor.name;
    if (options.progress) options.progress(progress);
  }
  writer.finish();
  progress.tensor = {};
  return progress;
}

}  // namespace linnet
