// Joins a model's weight specs to a file, and brings the weights onto a device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "files/tensor_file.h"
#include "program/weight_spec.h"

namespace linnet {

// A weight with the place of each of its parts in the file.
struct JoinedWeight {
  WeightSpec spec;  // with its resident format; optional parts that are absent make it vanish
  std::vector<const TensorInfo*> tensors;  // one for each part
};

// Throws Error(model) naming the tensor if one is missing, has another shape or a format this version does
// not read; also if the file has a tensor that the model does not know (`ignores` says which ones do not
// matter): its result would be silently wrong.
[[nodiscard]] std::vector<JoinedWeight> join_weights(std::vector<WeightSpec> specs, const TensorFile& file,
                                                     const std::function<bool(std::string_view)>& ignores);

// Called after each weight: bytes of the file that are done, and in all.
using LoadProgress = std::function<void(size_t done, size_t total)>;

struct NamedBuffer {
  std::string name;
  std::unique_ptr<Buffer> buffer;
};
using LoadedWeights = std::vector<NamedBuffer>;

// The buffers may use the mapped file: it must outlive them.
[[nodiscard]] LoadedWeights load_weights(std::span<const JoinedWeight> weights, const TensorFile& file,
                                         Device& device, const LoadProgress& progress = {});
// A weight whose values were computed.
[[nodiscard]] NamedBuffer load_computed(const WeightSpec& spec, std::span<const float> values,
                                        Device& device);

}  // namespace linnet
