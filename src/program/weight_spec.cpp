#include "program/weight_spec.h"

namespace linnet {

Shape WeightSpec::shape() const {
  if (parts.size() == 1) return parts.front().shape;
  size_t rows = 0;
  for (const Part& part : parts) rows += part.shape[0].max;
  if (rows > UINT32_MAX) fail(ErrorKind::model, "weight '", name, "' has too many rows: ", rows);
  const Dim stacked{static_cast<uint32_t>(rows)};
  return parts.front().shape.rank() == 1 ? Shape{stacked} : Shape{stacked, parts.front().shape[1]};
}

}  // namespace linnet
