// "Did you mean …?" for verbs and options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::cli {

[[nodiscard]] std::vector<std::string> verb_names(const CLI::App& program);
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& verb);  // "--device", …

// The name that takes the fewest edits to reach; empty if none is close.
[[nodiscard]] std::string nearest(std::string_view typed, const std::vector<std::string>& names);

}  // namespace linnet::cli
