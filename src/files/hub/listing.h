// What the hub's API says about a model, and what a safetensors index says about its shards. Both are JSON
// from a server: read with bounds on depth and number, and only what is asked for is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::hub {

inline constexpr size_t kMostJsonBytes = 16 << 20;

struct RemoteFile {
  std::string name;  // checked by check_file_name()
  std::optional<uint64_t> size;
  std::string sha256;  // of an LFS file; empty if not stated
};

struct ModelListing {
  std::string commit;  // 40 hexadecimal digits
  std::vector<RemoteFile> files;
};

// /api/models/<repo>/revision/<revision>?blobs=true. Throws Error(failure).
[[nodiscard]] ModelListing parse_listing(std::string_view json);

// The distinct files of the "weight_map" of a model.safetensors.index.json, sorted. Throws Error(failure).
[[nodiscard]] std::vector<std::string> parse_shards(std::string_view json);

}  // namespace linnet::hub
