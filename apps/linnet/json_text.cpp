#include "json_text.h"

#include <nlohmann/json.hpp>

namespace linnet::cli {
namespace {

std::string written(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string json_line(const nlohmann::ordered_json& json) {
  return written(json, -1);
}

std::string json_text(const nlohmann::ordered_json& json) {
  return written(json, 2) + "\n";
}

}  // namespace linnet::cli
