// Error of a non-linearity computed in f32, for Activation and GatedActivation.
#pragma once

#include "program/ops/activation.h"

namespace linnet {

// Of kind(x), for x off by `error`.
[[nodiscard]] double activation_error(ActivationKind kind, double x, double error);
// |kind(x)| in float64.
[[nodiscard]] double activation_magnitude(ActivationKind kind, double x);

}  // namespace linnet
