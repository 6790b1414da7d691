#include "models/join_weights.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/quoted.h"

namespace linnet {
namespace {

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
    fail(ErrorKind::model, "'", file.path().string(), "': tensor '", part.tensor, "' ", part.shape,
         " is missing");
  }
  if (!same_shape(part.shape, tensor->shape)) {
    fail(ErrorKind::model, "tensor '", part.tensor, "': expected ", part.shape, ", got ",
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
    const auto absent = [&](const Part& part) { return part.optional && file.find(part.tensor) == nullptr; };
    if (std::ranges::all_of(spec.parts, absent)) continue;
    JoinedWeight weight{.spec = std::move(spec), .tensors = {}};
    for (const Part& part : weight.spec.parts) {
      weight.tensors.push_back(&checked_tensor(part, file.find(part.tensor), file));
    }
    weight.spec.format = resident_format(weight.spec, weight.tensors);
    joined.push_back(std::move(weight));
  }
  refuse_unknown_tensors(joined, file, ignores);
  return joined;
}

}  // namespace linnet
