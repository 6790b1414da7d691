// Joins a model's weight specs to the tensors of a file.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

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

}  // namespace linnet
