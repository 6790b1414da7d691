// What linnet run was asked for, for one prompt and for a conversation alike.
#pragma once

#include <optional>
#include <string>

#include "flags.h"

namespace linnet::cli {

struct RunFlags {
  DeviceFlags device;
  ModelFlags model;
  std::optional<std::string> prompt;
  std::string system;
  bool raw = false;
  bool lines = false;
  v0::GenerateOptions generate;
  std::string require_device;
  bool receipt = false;
  bool summary = false;
  bool json = false;
  bool verbose = false;
};

}  // namespace linnet::cli
