#include "files/hub/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace linnet::hub {
namespace {

constexpr std::chrono::milliseconds kPoll{100};

[[noreturn]] void fail_lock(const std::filesystem::path& path) {
  fail(ErrorKind::failure, "hub: cannot lock '", path.string(), "': ", std::strerror(errno));
}

bool is_still_named(int descriptor, const std::filesystem::path& path) {
  struct stat held {};
  struct stat named {};
  return ::fstat(descriptor, &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

}  // namespace

std::optional<FileLock> FileLock::try_acquire(const std::filesystem::path& path, LockKind kind) {
  // A holder that deletes the file between open and flock makes one more round; a few are plenty.
  for (int round = 0; round < 8; ++round) {
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    FileLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0664));  // the Python client's mode
    if (lock.descriptor_ < 0 && errno == ENOENT) continue;  // the folder was removed in between
    if (lock.descriptor_ < 0) fail_lock(path);
    const int operation = kind == LockKind::exclusive ? LOCK_EX : LOCK_SH;
    if (::flock(lock.descriptor_, operation | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return std::nullopt;
      if (errno != EINTR) fail_lock(path);
    } else if (is_still_named(lock.descriptor_, path)) {
      return lock;
    }
  }
  return std::nullopt;
}

FileLock FileLock::acquire(const std::filesystem::path& path, LockKind kind, const Options& options,
                           const std::function<void()>& on_wait) {
  for (;;) {
    if (auto lock = try_acquire(path, kind)) return std::move(*lock);
    if (on_wait) on_wait();
    sleep_unless_interrupted(options, kPoll);
  }
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

// The file stays: deleting it would be a race with those who have it open and wait.
FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace linnet::hub
