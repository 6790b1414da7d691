#include "files/hub/partial_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"

namespace linnet::hub {
namespace {

constexpr size_t kChunk = 1 << 20;

// Reads from the descriptor's position to the end; returns the bytes read, or nothing when reading fails.
std::optional<uint64_t> hash_rest(int descriptor, Digest& digest, const HashProgress& progress) {
  std::vector<std::byte> chunk(kChunk);
  for (uint64_t done = 0;;) {
    const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return done;
    digest.add(std::span(chunk).first(static_cast<size_t>(got)));
    done += static_cast<uint64_t>(got);
    if (progress) progress(done);
  }
}

}  // namespace

bool has_identity(const std::filesystem::path& path, const FileIdentity& identity,
                  const HashProgress& progress) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } const closer{descriptor};
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (static_cast<uint64_t>(status.st_size) != identity.size) return false;
  Digest digest(identity);
  return hash_rest(descriptor, digest, progress) == identity.size && digest.finish() == identity.etag;
}

PartialFile::PartialFile(std::filesystem::path path, const FileIdentity& identity,
                         const HashProgress& progress)
    : path_(std::move(path)), identity_(identity), digest_(identity) {
  open();
  try {
    hash_what_is_there(progress);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

PartialFile::~PartialFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PartialFile::open() {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (descriptor_ < 0) fail_errno("cannot open");
}

void PartialFile::hash_what_is_there(const HashProgress& progress) {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail_errno("cannot look at");
  if (!S_ISREG(status.st_mode)) fail(ErrorKind::failure, "hub: '", path_.string(), "' is not a regular file");
  if (static_cast<uint64_t>(status.st_size) > identity_.size) return restart();
  const auto hashed = hash_rest(descriptor_, digest_, progress);
  if (!hashed) fail_errno("cannot read");
  size_ = *hashed;
}

void PartialFile::append(std::span<const std::byte> bytes) {
  if (bytes.size() > identity_.size - size_) {
    restart();
    fail(ErrorKind::failure, "hub: the server sends more than the ", identity_.size, " bytes it stated");
  }
  digest_.add(bytes);
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno("cannot write");
    size_ += static_cast<uint64_t>(written);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void PartialFile::restart() {
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) fail_errno("cannot empty");
  digest_.restart();
  size_ = 0;
}

void PartialFile::finish(const std::filesystem::path& target) {
  const std::string hash = digest_.finish();
  if (hash != identity_.etag) {
    ::unlink(path_.c_str());
    fail(ErrorKind::failure, "hub: what arrived has the hash ", hash, " where the server promised ",
         identity_.etag, "; it was deleted, the next pull starts anew");
  }
  if (::fsync(descriptor_) != 0) fail_errno("cannot write");
  if (::rename(path_.c_str(), target.c_str()) != 0) fail_errno("cannot rename");
}

void PartialFile::fail_errno(const char* what) const {
  fail(ErrorKind::failure, "hub: ", what, " '", path_.string(), "': ", std::strerror(errno));
}

}  // namespace linnet::hub
