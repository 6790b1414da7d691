// Models that are named as the hub names them ("org/repo[:quant]") wherever a file may be given.
#pragma once

#include <string>

#include "files/hub/hub.h"

namespace linnet::cli {

// What the environment says, with Ctrl-C as the interrupt.
[[nodiscard]] hub::Options hub_options();

// A file or folder that exists stays as it is; a name of the hub becomes what the cache has of it, or
// Error(model) that says how to pull it. Never asks the network.
[[nodiscard]] std::string local_model(const std::string& given);

}  // namespace linnet::cli
