// A model as the cache has it, without asking the network.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "files/hub/hub.h"

namespace linnet::hub {

struct LocalSearch {
  std::optional<PulledModel> found;  // complete
  std::string reason;                // why not, if nothing was found
};

[[nodiscard]] LocalSearch find_local(const ModelName& name, const Options& options);

// find_local() or Error(model) that says what to do about it.
[[nodiscard]] PulledModel get_local(const ModelName& name, const Options& options);

// The shards that an index in a snapshot names.
[[nodiscard]] std::vector<std::string> read_shards(const std::filesystem::path& index);

}  // namespace linnet::hub
