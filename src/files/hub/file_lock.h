// flock() on a lock file, the same protocol as the Python client's filelock: the file may be deleted by
// whoever holds it, so a lock counts only if its file is still the one under that name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "files/hub/options.h"

namespace linnet::hub {

enum class LockKind : uint8_t { exclusive, shared };

class FileLock {
 public:
  // Waits; `on_wait` is called a few times a second meanwhile. Throws Error(interrupted).
  [[nodiscard]] static FileLock acquire(const std::filesystem::path& path, LockKind kind,
                                        const Options& options, const std::function<void()>& on_wait);
  // Nothing if someone else holds it.
  [[nodiscard]] static std::optional<FileLock> try_acquire(const std::filesystem::path& path, LockKind kind);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace linnet::hub
