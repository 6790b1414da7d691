#include "files/hub/listing.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/quoted.h"
#include "files/hub/names.h"

namespace linnet::hub {
namespace {

using Json = nlohmann::json;
using Event = Json::parse_event_t;

constexpr size_t kMostFiles = 100'000;
constexpr int kDeepest = 16;  // the API's own answers reach 6

// Parses with only those members of the outermost object kept that `wanted` names; the rest is read over.
Json parse_members(std::string_view what, std::string_view text,
                   std::initializer_list<std::string_view> wanted) {
  const auto filter = [&](int depth, Event event, Json& parsed) {
    if (depth > kDeepest) fail(ErrorKind::failure, "hub: ", what, " is nested too deeply");
    if (event != Event::key || depth != 1) return true;
    const auto& key = parsed.get_ref<const std::string&>();
    return std::find(wanted.begin(), wanted.end(), key) != wanted.end();
  };
  if (text.size() > kMostJsonBytes) fail(ErrorKind::failure, "hub: ", what, " is too large");
  try {
    Json json = Json::parse(text, filter);
    if (!json.is_object()) fail(ErrorKind::failure, "hub: ", what, " is not an object");
    return json;
  } catch (const Json::exception& error) {
    fail(ErrorKind::failure, "hub: ", what, " is not as expected: ", error.what());
  }
}

std::optional<uint64_t> find_number(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<uint64_t>();
}

std::string find_text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

RemoteFile read_file(const Json& sibling) {
  if (!sibling.is_object())
    fail(ErrorKind::failure, "hub: the server's listing has a file that is not an object");
  RemoteFile file;
  file.name = find_text(sibling, "rfilename");
  check_file_name(file.name);
  file.size = find_number(sibling, "size");
  if (const auto lfs = sibling.find("lfs"); lfs != sibling.end() && lfs->is_object()) {
    file.sha256 = find_text(*lfs, "sha256");
    if (file.sha256.empty()) file.sha256 = find_text(*lfs, "oid");
    if (const auto size = find_number(*lfs, "size")) file.size = size;
  }
  return file;
}

}  // namespace

ModelListing parse_listing(std::string_view text) {
  const Json json = parse_members("the server's listing", text, {"sha", "siblings"});
  ModelListing listing;
  listing.commit = find_text(json, "sha");
  if (!is_hex(listing.commit)) {
    fail(ErrorKind::failure, "hub: the server's listing names the commit ", quoted_name(listing.commit),
         ", which is not 40 hexadecimal digits");
  }
  const auto siblings = json.find("siblings");
  if (siblings == json.end() || !siblings->is_array() || siblings->size() > kMostFiles) {
    fail(ErrorKind::failure, "hub: the server's listing has no list of files");
  }
  for (const auto& sibling : *siblings) listing.files.push_back(read_file(sibling));
  return listing;
}

std::vector<std::string> parse_shards(std::string_view text) {
  const Json json = parse_members("the safetensors index", text, {"weight_map"});
  const auto map = json.find("weight_map");
  if (map == json.end() || !map->is_object())
    fail(ErrorKind::failure, "hub: the safetensors index has no weight_map");
  std::set<std::string> shards;
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string())
      fail(ErrorKind::failure, "hub: the safetensors index names no file for ", quoted_name(tensor));
    shards.insert(file.get<std::string>());
    check_file_name(file.get_ref<const std::string&>());
  }
  if (shards.empty()) fail(ErrorKind::failure, "hub: the safetensors index names no files");
  return {shards.begin(), shards.end()};
}

}  // namespace linnet::hub
