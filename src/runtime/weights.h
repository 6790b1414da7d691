// Brings the weights that were joined to a file onto a device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "files/tensor_file.h"
#include "models/join_weights.h"
#include "program/weight_spec.h"

namespace linnet {

// Where the bytes of a weight are; both must outlive it.
[[nodiscard]] std::unique_ptr<ByteSource> weight_source(const TensorFile& file, const JoinedWeight& weight);

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
