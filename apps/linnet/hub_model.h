// Models that are named, as the hub names them ("org/repo[:quant]") or "builtin", wherever a file may be
// given.
#pragma once

#include <string>

#include "files/hub/hub.h"

namespace linnet::cli {

// The name of the model that comes with Linnet; a folder of that name is ./builtin.
inline constexpr const char* kBuiltinModel = "builtin";

// What the environment says, with Ctrl-C as the interrupt.
[[nodiscard]] hub::Options hub_options();

// The built-in model's name becomes its path; a file or folder that exists stays as it is; a name of the hub
// becomes what the cache has of it, or Error(model) that says how to pull it. Never asks the network.
[[nodiscard]] std::string local_model(const std::string& given);

}  // namespace linnet::cli
