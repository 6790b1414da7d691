// The non-linearities that Activation and GatedActivation share.
#pragma once

#include "program/ops/activation.h"

namespace linnet::reference {

[[nodiscard]] double activate(ActivationKind kind, double x);

}  // namespace linnet::reference
