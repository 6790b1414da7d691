#include "device/host_info.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

namespace linnet {
namespace {

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<size_t> number_at_front(std::string_view text) {
  text = trimmed(text);
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  return number;
}

// The text after "key:" in the first line of a file that begins with the key.
std::string field(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::string_view view = line;
    const size_t colon = view.find(':');
    if (colon == std::string_view::npos || trimmed(view.substr(0, colon)) != key) continue;
    return std::string(trimmed(view.substr(colon + 1)));
  }
  return {};
}

size_t meminfo_bytes(std::string_view key) {
  return number_at_front(field("/proc/meminfo", key)).value_or(0) * 1024;  // the kernel writes kB
}

size_t number_in_file(const std::string& path, size_t otherwise) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return otherwise;
  return number_at_front(line).value_or(otherwise);  // "max" is no number: no limit
}

// Version 2 control groups: the one line "0::/path" names this process's group; every group above it limits
// it too.
void apply_group_limits(HostInfo& info) {
  std::ifstream file("/proc/self/cgroup");
  std::string path;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) path = line.substr(3);
  }
  for (;;) {
    while (path.ends_with('/')) path.pop_back();
    const std::string folder = "/sys/fs/cgroup" + path;
    const size_t limit = number_in_file(folder + "/memory.max", kNoLimit);
    if (limit != kNoLimit) {
      const size_t used = std::min(limit, number_in_file(folder + "/memory.current", 0));
      info.total_memory = std::min(info.total_memory, limit);
      info.available_memory = std::min(info.available_memory, limit - used);
    }
    if (path.empty()) return;
    path.resize(std::min(path.size(), path.rfind('/')));
  }
}

}  // namespace

HostInfo host_info() {
  HostInfo info{.processor = field("/proc/cpuinfo", "model name"),
                .total_memory = meminfo_bytes("MemTotal"),
                .available_memory = meminfo_bytes("MemAvailable")};
  if (info.processor.empty()) info.processor = "unknown processor";
  apply_group_limits(info);
  return info;
}

}  // namespace linnet
