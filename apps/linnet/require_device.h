// --require-device: the receipt is the proof.
#pragma once

#include <string>

#include "linnet/linnet.hpp"

namespace linnet::cli {

// Throws Error(usage) if no backend has that name.
void check_backend_name(const std::string& name);
// Throws Error(failure) if anything ran elsewhere, or nothing ran at all.
void require_device(const v0::Receipt& receipt, const std::string& backend);

}  // namespace linnet::cli
