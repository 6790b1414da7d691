#include "runtime/weights.h"

#include <cstring>

#include "base/error.h"

namespace linnet {
namespace {

// Kernels read numbers of several bytes where they lie only if they are aligned: GGUF sees to that,
// safetensors need not.
[[nodiscard]] bool is_aligned(const std::byte* data, Format format) {
  const FormatTraits& of = traits(format);
  const size_t alignment = of.block_elements == 1 ? of.block_bytes : 1;
  return reinterpret_cast<uintptr_t>(data) % alignment == 0;
}

class FileSource final : public ByteSource {
 public:
  FileSource(const TensorFile& file, const JoinedWeight& weight) : file_(file), weight_(weight) {}

  [[nodiscard]] Format format(size_t part) const override {
    return weight_.tensors.at(part)->readable_format();
  }
  [[nodiscard]] std::span<const std::byte> mapped(size_t part) const override {
    const auto bytes = file_.bytes(*weight_.tensors.at(part));
    return is_aligned(bytes.data(), format(part)) ? bytes : std::span<const std::byte>();
  }
  void read(size_t part, size_t offset, std::span<std::byte> into) const override {
    file_.read(*weight_.tensors.at(part), offset, into);
  }

 private:
  const TensorFile& file_;
  const JoinedWeight& weight_;
};

class ValuesSource final : public ByteSource {
 public:
  explicit ValuesSource(std::span<const float> values) : bytes_(std::as_bytes(values)) {}

  [[nodiscard]] Format format(size_t) const override { return Format::f32; }
  // The values do not outlive loading.
  [[nodiscard]] std::span<const std::byte> mapped(size_t) const override { return {}; }
  void read(size_t, size_t offset, std::span<std::byte> into) const override {
    const auto from = bytes_.subspan(offset, into.size());
    std::memcpy(into.data(), from.data(), from.size());
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

std::unique_ptr<ByteSource> weight_source(const TensorFile& file, const JoinedWeight& weight) {
  return std::make_unique<FileSource>(file, weight);
}

LoadedWeights load_weights(std::span<const JoinedWeight> weights, const TensorFile& file, Device& device,
                           const LoadProgress& progress) {
  size_t total = 0;
  for (const JoinedWeight& weight : weights) {
    for (const TensorInfo* tensor : weight.tensors) total += tensor->bytes;
  }
  LoadedWeights loaded;
  size_t done = 0;
  for (const JoinedWeight& weight : weights) {
    loaded.push_back({weight.spec.name, device.load(weight.spec, *weight_source(file, weight))});
    for (const TensorInfo* tensor : weight.tensors) done += tensor->bytes;
    if (progress) progress(done, total);
  }
  return loaded;
}

NamedBuffer load_computed(const WeightSpec& spec, std::span<const float> values, Device& device) {
  return {spec.name, device.load(spec, ValuesSource(values))};
}

}  // namespace linnet
