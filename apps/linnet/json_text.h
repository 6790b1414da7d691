// JSON as the program writes it. Bytes that are not UTF-8, as a name of a file may have, are replaced.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace linnet::cli {

// In one line, without its end.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);
// Indented, with the end of the last line.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

}  // namespace linnet::cli
