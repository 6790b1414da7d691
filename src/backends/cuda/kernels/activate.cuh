// The non-linearities of program/ops/activation.h.
#pragma once

#include "program/ops/activation.h"

namespace linnet::cuda {

__device__ __forceinline__ float activate(ActivationKind kind, float x) {
  switch (kind) {
    case ActivationKind::silu:
      return x / (1.0f + expf(-x));
    case ActivationKind::gelu:
      return x * 0.5f * erfcf(-x * 0.70710678118654752f);
    case ActivationKind::gelu_tanh:
      return 0.5f * x * (1.0f + tanhf(0.79788456080286536f * (x + 0.044715f * x * x * x)));
  }
  return 0;
}

}  // namespace linnet::cuda
