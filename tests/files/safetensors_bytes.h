// Lays out safetensors files, right or wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace linnet::test {

// The length as it is given, or that of the header.
[[nodiscard]] inline std::string safetensors_bytes(std::string_view header, std::string_view data,
                                                   uint64_t length = UINT64_MAX) {
  if (length == UINT64_MAX) length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes.append(header).append(data);
}

inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace linnet::test
