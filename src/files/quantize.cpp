#include "files/quantize.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "files/gguf_split.h"
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

[[nodiscard]] GgufTensor tensor_for(const GgufContentsToWrite::Tensor& tensor, Format target) {
  if (tensor.from == nullptr) return {tensor.name, {tensor.values.size()}, Format::f32};
  return {tensor.name, tensor.from->shape, format_for(*tensor.from, target)};
}

void refuse_same_file(const TensorFile& file, const std::filesystem::path& output) {
  for (const MappedFile& input : file.files()) {
    std::error_code ignored;  // an output that does not exist is no error
    if (std::filesystem::equivalent(input.path(), output, ignored))
      fail(ErrorKind::usage, "quantize: '", output.string(), "' is the input itself");
  }
}

// Reads one tensor chunk by chunk and passes it on in the new format.
class Converter {
 public:
  Converter(const TensorFile& file, GgufWriter& writer) : file_(file), writer_(writer) {}

  // Returns the bytes written.
  size_t convert(const GgufContentsToWrite::Tensor& tensor, Format to) {
    if (tensor.from == nullptr) {
      writer_.write(std::as_bytes(std::span(tensor.values)));
      return tensor.values.size() * sizeof(float);
    }
    const Format from = tensor.from->readable_format();
    size_t written = 0;
    for (size_t done = 0; done < tensor.from->elements; done += kChunkElements) {
      const size_t count = std::min(kChunkElements, tensor.from->elements - done);
      read(tensor, from, done, count);
      written += pass_on(from, to, count);
    }
    return written;
  }

 private:
  // `count` elements of the new order from element `first` on: one run, or one for each row.
  void read(const GgufContentsToWrite::Tensor& tensor, Format from, size_t first, size_t count) {
    stored_.resize(bytes_of(from, count));
    if (tensor.rows.empty()) {
      file_.read(*tensor.from, bytes_of(from, first), stored_);
      return;
    }
    const size_t columns = tensor.from->elements / tensor.rows.size();
    for (size_t done = 0; done < count;) {
      const size_t row = (first + done) / columns;
      const size_t column = (first + done) % columns;
      const size_t run = std::min(columns - column, count - done);
      file_.read(*tensor.from, bytes_of(from, tensor.rows[row] * columns + column),
                 std::span(stored_).subspan(bytes_of(from, done), bytes_of(from, run)));
      done += run;
    }
  }

  size_t pass_on(Format from, Format to, size_t count) {
    if (from == to) {
      writer_.write(stored_);
      return stored_.size();
    }
    values_.resize(count);
    converted_.resize(bytes_of(to, count));
    decode(from, stored_, values_);
    encode(to, values_, converted_);
    writer_.write(converted_);
    return converted_.size();
  }

  const TensorFile& file_;
  GgufWriter& writer_;
  std::vector<std::byte> stored_, converted_;
  std::vector<float> values_;
};

}  // namespace

GgufContentsToWrite same_contents(const TensorFile& gguf) {
  GgufContentsToWrite contents{.metadata = gguf.metadata(), .tensors = {}};
  for (const std::string_view key : {kSplitNumberKey, kSplitCountKey, kSplitTensorsKey})
    contents.metadata.erase(key);
  for (const TensorInfo& tensor : gguf.tensors())
    contents.tensors.push_back({.name = tensor.name, .from = &tensor});
  return contents;
}

QuantizeProgress quantize(const TensorFile& file, const GgufContentsToWrite& contents,
                          const std::filesystem::path& output, const QuantizeOptions& options) {
  const auto type = file_type(options.target);
  if (!type)
    fail(ErrorKind::usage, "quantize: ", options.target, " is no target; expected f32, f16, bf16 or q8_0");
  refuse_same_file(file, output);

  Metadata metadata = contents.metadata;
  metadata.set("general.file_type", *type);
  if (options.target == Format::q8_0) metadata.set("general.quantization_version", uint32_t{2});
  std::vector<GgufTensor> tensors;
  for (const auto& tensor : contents.tensors) tensors.push_back(tensor_for(tensor, options.target));

  GgufWriter writer(output, metadata, tensors);
  Converter converter(file, writer);
  QuantizeProgress progress;
  progress.tensors_total = tensors.size();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& tensor = contents.tensors[i];
    progress.bytes_written += converter.convert(tensor, tensors[i].format);
    if (tensor.from != nullptr) progress.bytes_read += tensor.from->bytes;
    progress.tensors_done = i + 1;
    progress.tensor = tensor.name;
    if (options.progress) options.progress(progress);
  }
  writer.finish();
  progress.tensor = {};
  return progress;
}

}  // namespace linnet
