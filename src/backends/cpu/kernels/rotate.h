// The rotation of one head by a row of angles, shared by rope and the fused stage that contains it.
#pragma once

#include <cstddef>

#include "program/ops/rope.h"

namespace linnet::cpu {

// angles: `pairs` times (cosine, sine). out may be x.
inline void rotate_head(const float* x, const float* angles, size_t pairs, RopePairs layout, size_t width,
                        float* out) noexcept {
  const size_t step = layout == RopePairs::adjacent ? 2 : 1;
  const size_t apart = layout == RopePairs::adjacent ? 1 : pairs;
  for (size_t i = 0; i < pairs; ++i) {
    const float cosine = angles[2 * i];
    const float sine = angles[2 * i + 1];
    const float a = x[i * step];
    const float b = x[i * step + apart];
    out[i * step] = a * cosine - b * sine;
    out[i * step + apart] = a * sine + b * cosine;
  }
  for (size_t i = 2 * pairs; i < width; ++i) out[i] = x[i];
}

}  // namespace linnet::cpu
