// A file on its way into the cache, "<etag>.incomplete" as the Python client names it: what arrives is
// appended and hashed, what an earlier process left is continued. Its owner holds the lock of the ETag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "files/hub/digest.h"

namespace linnet::hub {

// Called with the bytes read so far while a file is hashed; may throw to stop.
using HashProgress = std::function<void(uint64_t bytes)>;

// True iff the file has the identity's size and hash. False also if there is no such file.
[[nodiscard]] bool has_identity(const std::filesystem::path& path, const FileIdentity& identity,
                                const HashProgress& progress);

class PartialFile {
 public:
  // Opens or makes the file and hashes what is in it; a file larger than it may become begins anew.
  PartialFile(std::filesystem::path path, const FileIdentity& identity, const HashProgress& progress);
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile();

  [[nodiscard]] uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool complete() const noexcept { return size_ == identity_.size; }

  // Throws Error(failure) if the disk is full, and if the file would become larger than it may.
  void append(std::span<const std::byte> bytes);
  void restart();
  // Gives the complete file its final name once it is on disk. If the hash is wrong, removes it and throws
  // Error(failure).
  void finish(const std::filesystem::path& target);

 private:
  void open();
  void hash_what_is_there(const HashProgress& progress);
  [[noreturn]] void fail_errno(const char* what) const;

  std::filesystem::path path_;
  FileIdentity identity_;
  Digest digest_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace linnet::hub
