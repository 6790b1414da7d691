// A file read through memory: mapped read-only, so that weights can be used where they lie.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace linnet {

class MappedFile {
 public:
  // Throws Error(model) when the file is missing, is not a regular file or cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  // Gives back the resident pages that lie wholly inside the range; they are read again if touched again.
  void forget(size_t offset, size_t size) const noexcept;
  // Reads into memory of the caller without making pages of the mapping resident.
  void read(size_t offset, std::span<std::byte> into) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::span<const std::byte> bytes_;
};

}  // namespace linnet
