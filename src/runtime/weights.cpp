#include "runtime/weights.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/error.h"

namespace linnet {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(const TensorFile& file, const JoinedWeight& weight) : file_(file), weight_(weight) {}

  [[nodiscard]] Format format(size_t part) const override {
    return weight_.tensors.at(part)->readable_format();
  }
  [[nodiscard]] std::span<const std::byte> mapped(size_t part) const override {
    return file_.bytes(*weight_.tensors.at(part));
  }
  void read(size_t part, size_t offset, std::span<std::byte> into) const override {
    const TensorInfo& tensor = *weight_.tensors.at(part);
    if (offset > tensor.bytes || into.size() > tensor.bytes - offset) {
      fail(ErrorKind::failure, "[read] ", into.size(), " bytes at ", offset, " do not lie in tensor '",
           tensor.name, "'");
    }
    file_.file().read(tensor.offset + offset, into);
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

std::string dims_of(std::span<const uint64_t> dims) {
  std::string text = "[";
  for (const uint64_t dim : dims) text += concat(text.size() > 1 ? ", " : "", dim);
  return text + "]";
}

bool same_shape(const Shape& expected, std::span<const uint64_t> got) {
  return std::ranges::equal(expected.dims(), got,
                            [](const Dim& dim, uint64_t size) { return dim.max == size; });
}

const TensorInfo& checked_tensor(const Part& part, const TensorInfo* tensor, const TensorFile& file) {
  if (tensor == nullptr) {
    fail(ErrorKind::model, "'", file.file().path().string(), "': tensor '", part.gguf_name, "' ", part.shape,
         " is missing");
  }
  if (!same_shape(part.shape, tensor->shape)) {
    fail(ErrorKind::model, "tensor '", part.gguf_name, "': expected ", part.shape, ", got ",
         dims_of(tensor->shape));
  }
  (void)tensor->readable_format();  // throws if this version cannot
  return *tensor;
}

// Parts of one format stay in it; otherwise f32, which holds all of them exactly. Vectors are always f32.
Format resident_format(const WeightSpec& spec, std::span<const TensorInfo* const> tensors) {
  if (spec.use == Use::vector) return Format::f32;
  const Format first = tensors.front()->readable_format();
  const bool alike =
      std::ranges::all_of(tensors, [&](const TensorInfo* each) { return each->readable_format() == first; });
  return alike ? first : Format::f32;
}

void refuse_unknown_tensors(std::span<const JoinedWeight> weights, const TensorFile& file,
                            const std::function<bool(std::string_view)>& ignores) {
  std::set<std::string_view> used;
  for (const JoinedWeight& weight : weights) {
    for (const TensorInfo* tensor : weight.tensors) used.insert(tensor->name);
  }
  for (const TensorInfo& tensor : file.tensors()) {
    if (used.contains(tensor.name) || ignores(tensor.name)) continue;
    fail(ErrorKind::model, "tensor ", quoted_name(tensor.name),
         " is not part of the model that this version knows under this architecture");
  }
}

}  // namespace

std::vector<JoinedWeight> join_weights(std::vector<WeightSpec> specs, const TensorFile& file,
                                       const std::function<bool(std::string_view)>& ignores) {
  std::vector<JoinedWeight> joined;
  for (WeightSpec& spec : specs) {
    const auto absent = [&](const Part& part) {
      return part.optional && file.find(part.gguf_name) == nullptr;
    };
    if (std::ranges::all_of(spec.parts, absent)) continue;
    JoinedWeight weight{.spec = std::move(spec), .tensors = {}};
    for (const Part& part : weight.spec.parts) {
      weight.tensors.push_back(&checked_tensor(part, file.find(part.gguf_name), file));
    }
    weight.spec.format = resident_format(weight.spec, weight.tensors);
    joined.push_back(std::move(weight));
  }
  refuse_unknown_tensors(joined, file, ignores);
  return joined;
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
    loaded.push_back({weight.spec.name, device.load(weight.spec, FileSource(file, weight))});
    for (const TensorInfo* tensor : weight.tensors) done += tensor->bytes;
    if (progress) progress(done, total);
  }
  return loaded;
}

NamedBuffer load_computed(const WeightSpec& spec, std::span<const float> values, Device& device) {
  return {spec.name, device.load(spec, ValuesSource(values))};
}

}  // namespace linnet
