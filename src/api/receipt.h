// Internal receipts as public ones.
#pragma once

#include "device/receipt.h"
#include "linnet/receipt.hpp"

namespace linnet::v0 {

[[nodiscard]] Receipt public_receipt(const linnet::Receipt& receipt);

}  // namespace linnet::v0
